// The element types of atomic operations (MPI-4.1 §6.9.2, §6.9.4), and the C++ types that they
// stand for.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace oriel {

// A value with its location: the operand of minloc and maxloc. The layout is that of MPI's pair
// types (MPI_FLOAT_INT, MPI_DOUBLE_INT, …), Fortran's included, whose index has the type of the
// value.
template <class V, class I = int>
struct value_index {
  V value{};
  I index{};
  friend constexpr bool operator==(const value_index&, const value_index&) noexcept = default;
};

// Which element types there are: oriel/enumerations/primitive.def.
enum class primitive : std::uint8_t {
#define ORIEL_PRIMITIVE(number, name, c_name, text, ...) name = number,
#include "oriel/enumerations/primitive.def"
};
inline constexpr std::array all_primitives{
#define ORIEL_PRIMITIVE(number, name, c_name, text, ...) primitive::name,
#include "oriel/enumerations/primitive.def"
};
inline constexpr int primitive_count = static_cast<int>(all_primitives.size());

// Returns the bytes of one element in memory, padding included; 1 for opaque (a run of bytes).
std::size_t size_of(primitive p) noexcept;
// Returns the type's alignment in C++, in bytes.
std::size_t align_of(primitive p) noexcept;
// Returns "double", "int32", …
std::string_view name(primitive p) noexcept;

// Returns the primitive of a C++ type; `opaque` for every other trivially copyable type.
template <class T>
constexpr primitive primitive_of() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return primitive::boolean;
  else if constexpr (std::is_same_v<U, std::byte>)
    return primitive::byte;
  else if constexpr (std::is_enum_v<U>)
    return primitive_of<std::underlying_type_t<U>>();
  else if constexpr (std::is_integral_v<U>) {
    constexpr bool s = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1)
      return s ? primitive::int8 : primitive::uint8;
    else if constexpr (sizeof(U) == 2)
      return s ? primitive::int16 : primitive::uint16;
    else if constexpr (sizeof(U) == 4)
      return s ? primitive::int32 : primitive::uint32;
    else
      return s ? primitive::int64 : primitive::uint64;
  } else if constexpr (std::is_same_v<U, float>)
    return primitive::float32;
  else if constexpr (std::is_same_v<U, double>)
    return primitive::float64;
  else if constexpr (std::is_same_v<U, long double>)
    return primitive::float_long;
  else if constexpr (std::is_same_v<U, std::complex<float>>)
    return primitive::complex32;
  else if constexpr (std::is_same_v<U, std::complex<double>>)
    return primitive::complex64;
  else if constexpr (std::is_same_v<U, std::complex<long double>>)
    return primitive::complex_long;
  else if constexpr (std::is_same_v<U, value_index<float>>)
    return primitive::float_int;
  else if constexpr (std::is_same_v<U, value_index<double>>)
    return primitive::double_int;
  else if constexpr (std::is_same_v<U, value_index<long>>)
    return primitive::long_int;
  else if constexpr (std::is_same_v<U, value_index<int>>)
    return primitive::int_int;
  else if constexpr (std::is_same_v<U, value_index<short>>)
    return primitive::short_int;
  else if constexpr (std::is_same_v<U, value_index<long double>>)
    return primitive::long_double_int;
  else if constexpr (std::is_same_v<U, value_index<float, float>>)
    return primitive::float_float;
  else if constexpr (std::is_same_v<U, value_index<double, double>>)
    return primitive::double_double;
  else
    return primitive::opaque;
}

// Returns what `f` returns for a `std::type_identity` of the C++ type of `p`; std::byte for opaque.
template <class F>
constexpr decltype(auto) with_type(primitive p, F&& f) {
  using std::type_identity;
  switch (p) {
#define ORIEL_PRIMITIVE(number, name, c_name, text, ...) \
  case primitive::name:                                  \
    return f(type_identity<__VA_ARGS__>{});
#include "oriel/enumerations/primitive.def"
  }
  return f(type_identity<std::byte>{});
}

}  // namespace oriel
