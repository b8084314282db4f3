// The plain arithmetic of the atomic operations (MPI-4.1 §6.9.2, §6.9.4): what `Op` stores in a
// target that holds `a` when the operand is `b`. No memory, no atomicity. Integers wrap. Complex
// products follow std::complex, and only they are for the host alone. A NaN never wins min, max,
// minloc or maxloc against what is there.
#pragma once

#include <concepts>
#include <type_traits>

#include "oriel/atomic_op.hpp"
#include "oriel/device_marks.hpp"
#include "oriel/primitive.hpp"

namespace oriel::detail {

template <class T>
concept bits_type = std::integral<T> || std::is_enum_v<T>;  // std::byte is an enum

// The unsigned type that T's arithmetic is done in: at least as wide as unsigned, because the
// narrower ones are promoted to int, in which 65535 * 65535 overflows.
template <std::integral T>
using wrapping = std::common_type_t<unsigned, std::make_unsigned_t<T>>;

template <atomic_op Op, std::integral T>
ORIEL_DEVICE constexpr T combine_integers(T a, T b) noexcept {
  if constexpr (Op == atomic_op::land)
    return static_cast<T>(a != T{0} && b != T{0});
  else if constexpr (Op == atomic_op::lor)
    return static_cast<T>(a != T{0} || b != T{0});
  else if constexpr (Op == atomic_op::lxor)
    return static_cast<T>((a != T{0}) != (b != T{0}));
  else if constexpr (Op == atomic_op::band)
    return static_cast<T>(a & b);
  else if constexpr (Op == atomic_op::bor)
    return static_cast<T>(a | b);
  else if constexpr (Op == atomic_op::bxor)
    return static_cast<T>(a ^ b);
  else if constexpr (Op == atomic_op::min)
    return b < a ? b : a;
  else if constexpr (Op == atomic_op::max)
    return a < b ? b : a;
  else {
    using W = wrapping<T>;
    if constexpr (Op == atomic_op::sum)
      return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
    else
      return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
}

// At equal values the lower index wins, whichever side it comes from (MPI-4.1 §6.9.4).
template <atomic_op Op, class V, class I>
ORIEL_DEVICE constexpr value_index<V, I> combine_pairs(const value_index<V, I>& a,
                                                       const value_index<V, I>& b) noexcept {
  if (a.value == b.value) return b.index < a.index ? b : a;
  if constexpr (Op == atomic_op::minloc)
    return b.value < a.value ? b : a;
  else
    return a.value < b.value ? b : a;
}

template <atomic_op Op, class T>
ORIEL_DEVICE constexpr T combine(T a, T b) noexcept {
  if constexpr (Op == atomic_op::replace) {
    return b;
  } else if constexpr (Op == atomic_op::no_op) {
    return a;
  } else {
    static_assert(defined_on<Op, T>, "the operation is not defined on this type");
    if constexpr (std::is_enum_v<T>) {
      using U = std::underlying_type_t<T>;
      return static_cast<T>(combine_integers<Op>(static_cast<U>(a), static_cast<U>(b)));
    } else if constexpr (std::integral<T>) {
      return combine_integers<Op>(a, b);
    } else if constexpr (Op == atomic_op::minloc || Op == atomic_op::maxloc) {
      return combine_pairs<Op>(a, b);
    } else if constexpr (Op == atomic_op::min) {
      return b < a ? b : a;
    } else if constexpr (Op == atomic_op::max) {
      return a < b ? b : a;
    } else if constexpr (Op == atomic_op::sum) {
      return a + b;
    } else {
      return a * b;
    }
  }
}

}  // namespace oriel::detail
