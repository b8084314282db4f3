// Element-wise atomics of the CPU, inline, for elements of 1, 2, 4 and 8 bytes: one instruction
// where there is one, else a compare-and-swap loop on the element's bytes. For any thread of any
// process that maps the element; lock-free and so safe when a peer dies half-way.
//
// Requires: the target's address is a multiple of sizeof(T), as C++ guarantees where
// `cpu_atomic_inline<T>`; other targets are the kernels' (atomics/kernels.hpp).
//
// Everything is seq_cst: x86's locked instructions are so anyway, and per-location ordering of an
// origin's accumulates (MPI-4.1 §12.7.2) then follows from program order with nothing added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "oriel/atomic_op.hpp"
#include "oriel/detail/combine.hpp"

namespace oriel::detail {

// may_alias: the memory holds a T and is accessed as an integer of its size.
template <std::size_t Bytes>
struct atomic_word {};
template <>
struct atomic_word<1> {
  using type [[gnu::may_alias]] = std::uint8_t;
};
template <>
struct atomic_word<2> {
  using type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct atomic_word<4> {
  using type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct atomic_word<8> {
  using type [[gnu::may_alias]] = std::uint64_t;
};
template <class T>
using word_of = typename atomic_word<sizeof(T)>::type;

template <class T>
inline constexpr bool cpu_atomic_fits = std::is_trivially_copyable_v<T> &&
                                        (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
                                         sizeof(T) == 8);

// Whether every T lies where an atomic instruction may reach it. complex<float> and the pairs of
// 8 bytes are aligned to 4 by C++ and may straddle a cache line in a user's own buffer, where only
// the kernels' locks serve; all accesses to one element must use the same means.
template <class T>
inline constexpr bool cpu_atomic_inline = cpu_atomic_fits<T> && alignof(T) == sizeof(T);

template <class T>
word_of<T>* as_word(T* target) noexcept {
  return reinterpret_cast<word_of<T>*>(target);
}
// Bytes, padding included: comparisons are of representations.
template <class T>
word_of<T> to_word(const T& value) noexcept {
  word_of<T> word;
  std::memcpy(&word, static_cast<const void*>(&value), sizeof word);
  return word;
}
// A bool is true when its byte is not 0: other bytes than 0 and 1 are no values of the type.
template <class T>
T from_word(word_of<T> word) noexcept {
  if constexpr (std::is_same_v<T, bool>) return word != 0;
  T value;
  std::memcpy(static_cast<void*>(&value), &word, sizeof value);
  return value;
}

// Whether one instruction of the integer `word_of<T>` performs Op on a T, and which. No logical
// operation is a bitwise one, on bool neither: its byte is whatever was put there.
enum class native_op : std::uint8_t { none, add, bit_and, bit_or, bit_xor };
template <atomic_op Op, class T>
constexpr native_op native() noexcept {
  if constexpr (!bits_type<T>) return native_op::none;
  switch (Op) {
    case atomic_op::sum:
      return native_op::add;
    case atomic_op::band:
      return native_op::bit_and;
    case atomic_op::bor:
      return native_op::bit_or;
    case atomic_op::bxor:
      return native_op::bit_xor;
    default:
      return native_op::none;
  }
}

// Returns the element's value before. Complete on return.
template <atomic_op Op, class T>
inline T cpu_fetch_op(T* target, T operand) noexcept {
  static_assert(cpu_atomic_fits<T>);
  static_assert(defined(Op, primitive_of<T>()), "the operation is not defined on this type");
  auto* const word = as_word(target);
  constexpr native_op how = native<Op, T>();
  if constexpr (Op == atomic_op::no_op) {
    return from_word<T>(__atomic_load_n(word, __ATOMIC_SEQ_CST));
  } else if constexpr (Op == atomic_op::replace) {
    return from_word<T>(__atomic_exchange_n(word, to_word(operand), __ATOMIC_SEQ_CST));
  } else if constexpr (how == native_op::add) {
    return from_word<T>(__atomic_fetch_add(word, to_word(operand), __ATOMIC_SEQ_CST));
  } else if constexpr (how == native_op::bit_and) {
    return from_word<T>(__atomic_fetch_and(word, to_word(operand), __ATOMIC_SEQ_CST));
  } else if constexpr (how == native_op::bit_or) {
    return from_word<T>(__atomic_fetch_or(word, to_word(operand), __ATOMIC_SEQ_CST));
  } else if constexpr (how == native_op::bit_xor) {
    return from_word<T>(__atomic_fetch_xor(word, to_word(operand), __ATOMIC_SEQ_CST));
  } else {
    word_of<T> before = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &before,
                                        to_word(combine<Op>(from_word<T>(before), operand)),
                                        /*weak=*/true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return from_word<T>(before);
  }
}

// The same without a result: the compiler picks `lock add` and its like for an unused one. no_op
// touches nothing.
template <atomic_op Op, class T>
inline void cpu_op(T* target, T operand) noexcept {
  if constexpr (Op != atomic_op::no_op) static_cast<void>(cpu_fetch_op<Op>(target, operand));
}

// Stores `desired` if the element's bytes equal those of `expected`; returns the value before.
template <class T>
inline T cpu_compare_swap(T* target, T expected, T desired) noexcept {
  static_assert(cpu_atomic_fits<T>);
  word_of<T> before = to_word(expected);
  __atomic_compare_exchange_n(as_word(target), &before, to_word(desired), /*weak=*/false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return from_word<T>(before);
}

// An integer of Bytes bytes that may lie anywhere.
template <std::size_t Bytes>
struct loose_word {
  using type [[gnu::may_alias, gnu::aligned(1)]] = typename atomic_word<Bytes>::type;
};

// One store, no fence. Elements of 1, 2, 4 and 8 bytes never tear: as an atomic where C++ aligns
// them, else as a volatile access, which compilers do not split; x86 and aarch64 perform one that
// lies within a cache line whole.
template <class T>
inline void cpu_store(T* target, const T& value) noexcept {
  if constexpr (cpu_atomic_inline<T>) {
    __atomic_store_n(as_word(target), to_word(value), __ATOMIC_RELAXED);
  } else if constexpr (cpu_atomic_fits<T>) {
    using word = typename loose_word<sizeof(T)>::type;
    *reinterpret_cast<volatile word*>(target) = to_word(value);
  } else {
    std::memcpy(static_cast<void*>(target), static_cast<const void*>(&value), sizeof(T));
  }
}
template <class T>
inline T cpu_load(const T* target) noexcept {
  if constexpr (cpu_atomic_inline<T>) {
    return from_word<T>(
        __atomic_load_n(reinterpret_cast<const word_of<T>*>(target), __ATOMIC_RELAXED));
  } else if constexpr (cpu_atomic_fits<T>) {
    using word = typename loose_word<sizeof(T)>::type;
    return from_word<T>(*reinterpret_cast<const volatile word*>(target));
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), static_cast<const void*>(target), sizeof(T));
    return value;
  }
}

// cpu_fetch_op and cpu_op without atomicity. Requires: no other thread accesses the element.
template <class T>
inline T plain_load(const T* target) noexcept {
  if constexpr (std::is_same_v<T, bool>)
    return cpu_load(target);  // which takes any byte
  else
    return *target;
}
template <atomic_op Op, class T>
inline T plain_fetch_op(T* target, const T& operand) noexcept {
  const T before = plain_load(target);
  if constexpr (Op != atomic_op::no_op) *target = combine<Op>(before, operand);
  return before;
}
template <atomic_op Op, class T>
inline void plain_op(T* target, const T& operand) noexcept {
  static_cast<void>(plain_fetch_op<Op>(target, operand));
}

}  // namespace oriel::detail
