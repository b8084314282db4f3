// Enumerators of the C face by their numbers, and what is said of numbers that are none.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "capi/guard.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/detail/numbered.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::capi {

using detail::numbered;

// What messages call a number of each enumeration, what would be valid, and the class of the error.
// Those of enumerations that one family of functions takes stand there.
struct enumeration_text {
  errc code;
  const char* what;
  const char* valid;
};
template <class Enumeration>
inline constexpr enumeration_text text_of{};
template <>
inline constexpr enumeration_text text_of<atomic_op>{errc::op, "operation", "an ORIEL_OP_…"};
template <>
inline constexpr enumeration_text text_of<primitive>{
    errc::type, "element type", "ORIEL_BYTE, ORIEL_INT64, … of enum oriel_primitive"};

[[noreturn]] void refuse_number(const enumeration_text&, int number);

// Throws the error of text_of, which names the number.
template <class Enumeration>
Enumeration enumerator(int number) {
  if (const auto found = numbered<Enumeration>(number)) [[likely]]
    return *found;
  refuse_number(text_of<Enumeration>, number);
}

// Returns the code of `f(enumerator)`, or of a number that is none.
template <class Enumeration, class F>
int with(int number, F&& f) noexcept {
  if (const auto found = numbered<Enumeration>(number)) [[likely]]
    return std::forward<F>(f)(*found);
  return guarded([number] { refuse_number(text_of<Enumeration>, number); });
}
template <class F>
int with_op_on(int op, int type, F&& f) noexcept {
  return with<atomic_op>(op, [&](atomic_op known_op) {
    return with<primitive>(type, [&](primitive known_type) { return f(known_op, known_type); });
  });
}

// The same for promises that C adds up; errc::arg names bits that are none.
[[noreturn]] void refuse_mode(int mode);
template <class F>
int with_mode(int mode, F&& f) noexcept {
  const sync_mode given{static_cast<std::uint32_t>(mode)};
  if ((given.bits & ~every_mode.bits) == 0) [[likely]]
    return std::forward<F>(f)(given);
  return guarded([mode] { refuse_mode(mode); });
}

}  // namespace oriel::capi
