// The operations of accumulate, get_accumulate and fetch_and_op (MPI-4.1 §12.3.4), and which
// element types each accepts (MPI-4.1 §6.9.2).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "oriel/primitive.hpp"

namespace oriel {

// replace, no_op, sum, …: oriel/enumerations/atomic_op.def.
enum class atomic_op : std::uint8_t {
#define ORIEL_ATOMIC_OP(number, name, c_name) name = (number),
#include "oriel/enumerations/atomic_op.def"
};
inline constexpr std::array all_atomic_ops{
#define ORIEL_ATOMIC_OP(number, name, c_name) atomic_op::name,
#include "oriel/enumerations/atomic_op.def"
};
inline constexpr int atomic_op_count = static_cast<int>(all_atomic_ops.size());

std::string_view name(atomic_op op) noexcept;

// Returns whether `op` is defined on elements of type `p`. `opaque` accepts nothing, `byte` only
// bitwise operations, replace and no_op; floating types no logical or bitwise ones; complex types
// only sum, prod, replace and no_op; pair types only minloc, maxloc, replace and no_op; bool only
// the logical ones, replace and no_op.
constexpr bool defined(atomic_op op, primitive p) noexcept {
  const bool integer = p >= primitive::int8 && p <= primitive::uint64;
  const bool real = p >= primitive::float32 && p <= primitive::float_long;
  const bool complex = p >= primitive::complex32 && p <= primitive::complex_long;
  const bool pair = p >= primitive::float_int;
  if (p == primitive::opaque) return false;
  switch (op) {
    case atomic_op::replace:
    case atomic_op::no_op:
      return true;
    case atomic_op::sum:
    case atomic_op::prod:
      return integer || real || complex;
    case atomic_op::min:
    case atomic_op::max:
      return integer || real;
    case atomic_op::land:
    case atomic_op::lor:
    case atomic_op::lxor:
      return integer || p == primitive::boolean;
    case atomic_op::band:
    case atomic_op::bor:
    case atomic_op::bxor:
      return integer || p == primitive::byte;
    case atomic_op::minloc:
    case atomic_op::maxloc:
      return pair;
  }
  return false;
}

// The same for types: a constant, which code that runs on devices may use as it may not call the
// functions.
template <atomic_op Op, class T>
inline constexpr bool defined_on = defined(Op, primitive_of<T>());

// The operations that a window's accumulates will use: oriel's extension, a promise made in
// `window_options`. Any operation may be used unless the set narrows it.
struct op_set {
  std::uint32_t bits = 0;

  constexpr op_set() noexcept = default;
  constexpr explicit op_set(std::uint32_t b) noexcept : bits(b) {}
  constexpr op_set(atomic_op op) noexcept  // NOLINT: one operation is a set
      : bits(1u << static_cast<unsigned>(op)) {}
  [[nodiscard]] constexpr bool has(atomic_op op) const noexcept {
    return (bits >> static_cast<unsigned>(op) & 1u) != 0;
  }
  friend constexpr op_set operator|(op_set a, op_set b) noexcept { return op_set{a.bits | b.bits}; }
  friend constexpr bool operator==(op_set, op_set) noexcept = default;
};
constexpr op_set operator|(atomic_op a, atomic_op b) noexcept {
  return op_set{a} | op_set{b};
}

inline constexpr op_set any_op{(1u << atomic_op_count) - 1};

std::string to_string(op_set ops);

}  // namespace oriel
