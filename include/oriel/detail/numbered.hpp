// Enumerators by their numbers, as C, Fortran and messages of other processes give them: a lookup
// in the list of oriel/enumerations/, never a cast.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"

namespace oriel::detail {

// Of an enumeration whose numbers count up: all of it.
template <class Enumeration>
inline constexpr auto entries_of = nullptr;
template <>
inline constexpr auto entries_of<atomic_op> = all_atomic_ops;
template <>
inline constexpr auto entries_of<primitive> = all_primitives;
template <>
inline constexpr auto entries_of<errc> = std::array{
#define ORIEL_ERRC(number, name, c_name) errc::name,
#include "oriel/enumerations/errc.def"
};

// Returns nothing for a number that the list does not have.
template <class Enumeration>
constexpr std::optional<Enumeration> numbered(int number) noexcept {
  constexpr const auto& entries = entries_of<Enumeration>;
  constexpr int first = static_cast<int>(entries.front());
  static_assert(static_cast<int>(entries.back()) - first + 1 == static_cast<int>(entries.size()),
                "the numbers count up");
  const auto i =
      static_cast<std::size_t>(static_cast<unsigned>(number) - static_cast<unsigned>(first));
  return i < entries.size() ? std::optional(entries[i]) : std::nullopt;
}

}  // namespace oriel::detail
