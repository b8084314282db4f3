// Element-wise atomics of system scope for code that runs on devices, and the same code on the
// host: load, store, exchange, fetch_op and compare_swap of elements of 1, 2, 4 and 8 bytes. Atomic
// with those of every device, process and host that reaches the element.
//
// Requires: an element lies at a multiple of its size, and the aligned 4 bytes around a narrower
// one are memory too, because devices update no less. What is stored beside the element is kept.
//
// Ordering: none but each element's own. fence() (detail/device_word.cuh) orders.
//
// Sums of floats and doubles are CUDA's own instruction there, which takes subnormal floats for 0.
#pragma once

#include <cstdint>
#include <type_traits>

#include "oriel/detail/combine.hpp"
#include "oriel/detail/device_word.cuh"

namespace oriel::detail::device {

template <class T>
inline constexpr bool fits = std::is_trivially_copyable_v<T> &&
                             (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
ORIEL_DEVICE inline word_t<sizeof(T)> bits_of(const T& value) noexcept {
  word_t<sizeof(T)> bits;
  __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof bits);
  return bits;
}
// A bool's byte is true when it is not 0, whatever was put there.
template <class T>
ORIEL_DEVICE inline T value_of(word_t<sizeof(T)> bits) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
}

// The element's place in the 4 bytes around it, and how the two are converted. Little-endian, as
// every machine that oriel runs on.
template <class T>
struct narrow_place {
  word32* word;
  unsigned shift;

  ORIEL_DEVICE explicit narrow_place(T* target) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(target);
    word = reinterpret_cast<word32*>(address & ~std::uintptr_t{3});
    shift = static_cast<unsigned>(address & 3u) * 8u;
  }
  [[nodiscard]] ORIEL_DEVICE word_t<sizeof(T)> element(word32 around) const noexcept {
    return static_cast<word_t<sizeof(T)>>(around >> shift);
  }
  [[nodiscard]] ORIEL_DEVICE word32 with(word32 around, word_t<sizeof(T)> bits) const noexcept {
    constexpr word32 ones = (word32{1} << (8 * sizeof(T))) - 1;
    return (around & ~(ones << shift)) | (word32{bits} << shift);
  }
};
// The same of an element that is a word by itself.
template <class T>
struct whole_place {
  using word_type = word_t<sizeof(T)>;
  word_type* word;

  ORIEL_DEVICE explicit whole_place(T* target) noexcept
      : word(reinterpret_cast<word_type*>(target)) {}
  [[nodiscard]] ORIEL_DEVICE word_type element(word_type around) const noexcept { return around; }
  [[nodiscard]] ORIEL_DEVICE word_type with(word_type, word_type bits) const noexcept {
    return bits;
  }
};
template <class T>
using place_of = std::conditional_t<(sizeof(T) < 4), narrow_place<T>, whole_place<T>>;

template <class T>
ORIEL_DEVICE inline T load(const T* target) noexcept {
  static_assert(fits<T>);
  return value_of<T>(load_relaxed(reinterpret_cast<const word_t<sizeof(T)>*>(target)));
}
template <class T>
ORIEL_DEVICE inline void store(T* target, std::type_identity_t<T> value) noexcept {
  static_assert(fits<T>);
  store_relaxed(reinterpret_cast<word_t<sizeof(T)>*>(target), bits_of(value));
}

// Stores `next(before)` and returns `before`, both as the element's bits. Calls `next` again when
// another thread has changed the element in between.
template <class T, class F>
ORIEL_DEVICE inline word_t<sizeof(T)> update(T* target, F next) noexcept {
  const place_of<T> place(target);
  auto around = load_relaxed(place.word);
  for (;;) {
    const auto before = place.element(around);
    const auto seen = compare_exchange(place.word, around, place.with(around, next(before)));
    if (seen == around) return before;
    around = seen;
  }
}

// Returns the element's value before.
template <class T>
ORIEL_DEVICE inline T exchange(T* target, std::type_identity_t<T> value) noexcept {
  static_assert(fits<T>);
  const auto bits = bits_of(value);
  if constexpr (sizeof(T) < 4)
    return value_of<T>(update(target, [bits](word_t<sizeof(T)>) { return bits; }));
  else
    return value_of<T>(exchange_word(reinterpret_cast<word_t<sizeof(T)>*>(target), bits));
}

// Stores `desired` if the element's bytes equal those of `expected`; returns the value before.
template <class T>
ORIEL_DEVICE inline T compare_swap(T* target, std::type_identity_t<T> expected,
                                   std::type_identity_t<T> desired) noexcept {
  static_assert(fits<T>);
  const auto want = bits_of(expected);
  const auto bits = bits_of(desired);
  if constexpr (sizeof(T) < 4) {
    const narrow_place<T> place(target);
    word32 around = load_relaxed(place.word);
    for (;;) {
      const auto before = place.element(around);
      if (before != want) return value_of<T>(before);
      const word32 seen = compare_exchange(place.word, around, place.with(around, bits));
      if (seen == around) return value_of<T>(before);
      around = seen;
    }
  } else {
    return value_of<T>(compare_exchange(reinterpret_cast<word_t<sizeof(T)>*>(target), want, bits));
  }
}

// The integer that T is, for whole words.
template <class T, bool Enum = std::is_enum_v<T>>
struct integer_of {
  using type = T;
};
template <class T>
struct integer_of<T, true> {
  using type = std::underlying_type_t<T>;
};

// Stores what `Op` makes of the element and `operand`; returns the value before.
template <atomic_op Op, class T>
ORIEL_DEVICE inline T fetch_op(T* target, std::type_identity_t<T> operand) noexcept {
  static_assert(fits<T>);
  static_assert(defined_on<Op, T>, "the operation is not defined on this type");
  constexpr bool whole_integer = sizeof(T) >= 4 && std::is_integral_v<typename integer_of<T>::type>;
  auto* const word = reinterpret_cast<word_t<sizeof(T)>*>(target);
  if constexpr (Op == atomic_op::no_op) {
    return load(target);
  } else if constexpr (Op == atomic_op::replace) {
    return exchange(target, operand);
  } else if constexpr (whole_integer && Op == atomic_op::sum) {
    return value_of<T>(fetch_add(word, bits_of(operand)));
  } else if constexpr (whole_integer && Op == atomic_op::band) {
    return value_of<T>(fetch_and(word, bits_of(operand)));
  } else if constexpr (whole_integer && Op == atomic_op::bor) {
    return value_of<T>(fetch_or(word, bits_of(operand)));
  } else if constexpr (whole_integer && Op == atomic_op::bxor) {
    return value_of<T>(fetch_xor(word, bits_of(operand)));
  } else {
#if defined(ORIEL_DEVICE_CUDA)
    if constexpr (std::is_floating_point_v<T> && Op == atomic_op::sum)
      return atomicAdd_system(target, operand);
#endif
    return value_of<T>(update(target, [operand](word_t<sizeof(T)> before) {
      return bits_of(combine<Op>(value_of<T>(before), operand));
    }));
  }
}

// The same without a result; no_op touches nothing.
template <atomic_op Op, class T>
ORIEL_DEVICE inline void apply_op(T* target, std::type_identity_t<T> operand) noexcept {
  if constexpr (Op != atomic_op::no_op) static_cast<void>(fetch_op<Op>(target, operand));
}

}  // namespace oriel::detail::device
