// What every operation gives on every element type, computed without oriel's own arithmetic:
// integers as 64-bit patterns that are masked, products by shift and add, complex ones from their
// parts.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "oriel/atomic_op.hpp"
#include "oriel/primitive.hpp"

namespace oriel::testing {

// The bytes of an element that carry its value; padding is zeroed so that equal values are equal.
using element = std::string;

template <class T>
element element_of(const T& value) {
  element bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
template <class T>
T value_of(const element& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Where the padding lies, by hand: x86's long double has 10 bytes of value.
inline void clear_padding(primitive p, element& e) {
  const auto clear = [&e](std::size_t from, std::size_t to) {
    std::fill(e.begin() + static_cast<std::ptrdiff_t>(from),
              e.begin() + static_cast<std::ptrdiff_t>(to), '\0');
  };
#if defined(__x86_64__)
  if (p == primitive::float_long || p == primitive::complex_long || p == primitive::long_double_int)
    clear(10, 16);
  if (p == primitive::complex_long) clear(26, 32);
#endif
  if (p == primitive::short_int) clear(2, 4);
  if (p == primitive::double_int || p == primitive::long_int) clear(12, 16);
  if (p == primitive::long_double_int) clear(20, 32);
}
inline element read_element(primitive p, const void* at) {
  element e(static_cast<const char*>(at), size_of(p));
  clear_padding(p, e);
  return e;
}

inline bool is_integer(primitive p) {
  return p == primitive::byte || (p >= primitive::int8 && p <= primitive::uint64);
}
inline bool is_signed(primitive p) {
  return p >= primitive::int8 && p <= primitive::int64;
}

namespace oracle_detail {

inline std::uint64_t mask(std::size_t bytes) {
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}
inline std::uint64_t pattern(const element& e) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, e.data(), e.size());  // little-endian, as all machines oriel runs on
  return bits;
}
inline std::uint64_t shift_and_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1, a <<= 1)
    if ((b & 1) != 0) product += a;
  return product;
}
inline bool less(std::uint64_t a, std::uint64_t b, std::size_t bytes, bool with_sign) {
  if (with_sign) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
    a ^= sign;
    b ^= sign;
  }
  return a < b;
}

inline element on_integers(atomic_op op, primitive p, const element& ea, const element& eb) {
  const std::uint64_t a = pattern(ea), b = pattern(eb);
  const std::size_t bytes = ea.size();
  std::uint64_t r = 0;
  switch (op) {
    case atomic_op::sum:
      r = a + b;
      break;
    case atomic_op::prod:
      r = shift_and_add(a, b);
      break;
    case atomic_op::min:
      r = less(b, a, bytes, is_signed(p)) ? b : a;
      break;
    case atomic_op::max:
      r = less(a, b, bytes, is_signed(p)) ? b : a;
      break;
    case atomic_op::land:
      r = a != 0 ? (b != 0 ? 1 : 0) : 0;
      break;
    case atomic_op::lor:
      r = a != 0 ? 1 : (b != 0 ? 1 : 0);
      break;
    case atomic_op::lxor:
      r = (a != 0) != (b != 0) ? 1 : 0;
      break;
    case atomic_op::band:
      r = ~(~a | ~b);
      break;
    case atomic_op::bor:
      r = ~(~a & ~b);
      break;
    case atomic_op::bxor:
      r = (a & ~b) | (~a & b);
      break;
    default:
      break;
  }
  r &= mask(bytes);
  element out(bytes, '\0');
  std::memcpy(out.data(), &r, bytes);
  return out;
}

template <class F>
element on_reals(atomic_op op, const element& ea, const element& eb) {
  const F a = value_of<F>(ea), b = value_of<F>(eb);
  switch (op) {
    case atomic_op::sum:
      return element_of<F>(a + b);
    case atomic_op::prod:
      return element_of<F>(a * b);
    case atomic_op::min:
      return a <= b ? ea : eb;
    default:
      return a >= b ? ea : eb;
  }
}

template <class F>
element on_complex(atomic_op op, const element& ea, const element& eb) {
  F a[2], b[2];
  std::memcpy(a, ea.data(), sizeof a);
  std::memcpy(b, eb.data(), sizeof b);
  F r[2];
  if (op == atomic_op::sum) {
    r[0] = a[0] + b[0];
    r[1] = a[1] + b[1];
  } else {
    r[0] = a[0] * b[0] - a[1] * b[1];
    r[1] = a[0] * b[1] + a[1] * b[0];
  }
  element out(sizeof r, '\0');
  std::memcpy(out.data(), r, sizeof r);
  return out;
}

template <class V, class I = int>
element on_pairs(atomic_op op, const element& ea, const element& eb) {
  const auto a = value_of<value_index<V, I>>(ea), b = value_of<value_index<V, I>>(eb);
  if (a.value == b.value) return a.index <= b.index ? ea : eb;
  return (a.value < b.value) == (op == atomic_op::minloc) ? ea : eb;
}

}  // namespace oracle_detail

// The target's new value. Padding is clear.
inline element oracle(atomic_op op, primitive p, const element& a, const element& b) {
  namespace d = oracle_detail;
  if (op == atomic_op::replace) return b;
  if (op == atomic_op::no_op) return a;
  element r;
  if (is_integer(p) || p == primitive::boolean) r = d::on_integers(op, p, a, b);
  switch (p) {
    case primitive::float32:
      r = d::on_reals<float>(op, a, b);
      break;
    case primitive::float64:
      r = d::on_reals<double>(op, a, b);
      break;
    case primitive::float_long:
      r = d::on_reals<long double>(op, a, b);
      break;
    case primitive::complex32:
      r = d::on_complex<float>(op, a, b);
      break;
    case primitive::complex64:
      r = d::on_complex<double>(op, a, b);
      break;
    case primitive::complex_long:
      r = d::on_complex<long double>(op, a, b);
      break;
    case primitive::float_int:
      r = d::on_pairs<float>(op, a, b);
      break;
    case primitive::double_int:
      r = d::on_pairs<double>(op, a, b);
      break;
    case primitive::long_int:
      r = d::on_pairs<long>(op, a, b);
      break;
    case primitive::int_int:
      r = d::on_pairs<int>(op, a, b);
      break;
    case primitive::short_int:
      r = d::on_pairs<short>(op, a, b);
      break;
    case primitive::long_double_int:
      r = d::on_pairs<long double>(op, a, b);
      break;
    case primitive::float_float:
      r = d::on_pairs<float, float>(op, a, b);
      break;
    case primitive::double_double:
      r = d::on_pairs<double, double>(op, a, b);
      break;
    default:
      break;
  }
  clear_padding(p, r);
  return r;
}

// An element with results that every order of exact arithmetic gives alike. `gentle` keeps products
// from growing: floating factors are units, so that thousands of them stay exact.
inline element some_element(primitive p, std::mt19937_64& random, bool gentle = false) {
  const auto small = [&] { return static_cast<int>(random() % 9) - 4; };
  const auto unit = [&] { return random() % 2 == 0 ? 1 : -1; };
  const auto number = [&] { return gentle ? unit() : small(); };
  element e = with_type(p, [&]<class T>(std::type_identity<T>) -> element {
    if constexpr (std::is_same_v<T, bool>) {
      return element_of(random() % 2 == 0);
    } else if constexpr (std::is_same_v<T, std::byte> || std::is_integral_v<T>) {
      const std::uint64_t ends[] = {0, 1, ~std::uint64_t{0},
                                    std::uint64_t{1} << (8 * sizeof(T) - 1),
                                    (std::uint64_t{1} << (8 * sizeof(T) - 1)) - 1};
      return element_of(static_cast<T>(random() % 3 == 0 ? ends[random() % 5] : random()));
    } else if constexpr (std::is_floating_point_v<T>) {
      return element_of(static_cast<T>(number()));
    } else if constexpr (requires(T t) { t.index; }) {
      T pair{};
      pair.value = static_cast<decltype(pair.value)>(small());
      pair.index = static_cast<decltype(pair.index)>(small());
      return element_of(pair);
    } else {
      using F = typename T::value_type;
      if (!gentle) return element_of(T(static_cast<F>(small()), static_cast<F>(small())));
      const bool real = random() % 2 == 0;
      const auto u = static_cast<F>(unit());
      return element_of(real ? T(u, F{0}) : T(F{0}, u));
    }
  });
  clear_padding(p, e);
  return e;
}

// -0.0 and 0.0 are one value; which of them an operation leaves is not promised.
inline element normal(primitive p, element e) {
  const auto positive_zero = [&e]<class F>(std::type_identity<F>, std::size_t at) {
    F f;
    std::memcpy(&f, e.data() + at, sizeof f);
    if (f == F{0}) std::fill_n(e.begin() + static_cast<std::ptrdiff_t>(at), sizeof f, '\0');
  };
  using std::type_identity;
  switch (p) {
    case primitive::complex32:
      positive_zero(type_identity<float>{}, 4);
      [[fallthrough]];
    case primitive::float32:
    case primitive::float_int:
      positive_zero(type_identity<float>{}, 0);
      break;
    case primitive::complex64:
      positive_zero(type_identity<double>{}, 8);
      [[fallthrough]];
    case primitive::float64:
    case primitive::double_int:
      positive_zero(type_identity<double>{}, 0);
      break;
    case primitive::complex_long:
      positive_zero(type_identity<long double>{}, 16);
      [[fallthrough]];
    case primitive::float_long:
    case primitive::long_double_int:
      positive_zero(type_identity<long double>{}, 0);
      break;
    default:
      break;
  }
  return e;
}

}  // namespace oriel::testing
