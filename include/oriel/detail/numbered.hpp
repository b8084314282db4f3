// Enumerators by their numbers, as C, Fortran and messages of other processes give them: a lookup,
// never a cast. Nothing for a number that the list of oriel/enumerations/ does not have.
#pragma once

#include <optional>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"

namespace oriel::detail {

template <class Enumeration>
constexpr std::optional<Enumeration> numbered(int) noexcept = delete;

template <>
constexpr std::optional<errc> numbered<errc>(int number) noexcept {
  switch (number) {
#define ORIEL_ERRC(n, name, c_name) \
  case n:                           \
    return errc::name;
#include "oriel/enumerations/errc.def"
    default:
      return std::nullopt;
  }
}

template <>
constexpr std::optional<atomic_op> numbered<atomic_op>(int number) noexcept {
  switch (number) {
#define ORIEL_ATOMIC_OP(n, name, c_name) \
  case n:                                \
    return atomic_op::name;
#include "oriel/enumerations/atomic_op.def"
    default:
      return std::nullopt;
  }
}

template <>
constexpr std::optional<primitive> numbered<primitive>(int number) noexcept {
  switch (number) {
#define ORIEL_PRIMITIVE(n, name, c_name, text, ...) \
  case n:                                           \
    return primitive::name;
#include "oriel/enumerations/primitive.def"
    default:
      return std::nullopt;
  }
}

}  // namespace oriel::detail
