#include "mpi/predefined_types.hpp"

#include <limits>

#include "mpi/layout_builder.hpp"

namespace oriel::mpi {
namespace {

primitive integer_of(std::size_t size) {
  switch (size) {
    case 1:
      return primitive::int8;
    case 2:
      return primitive::int16;
    case 4:
      return primitive::int32;
    case 8:
      return primitive::int64;
    default:
      return primitive::opaque;
  }
}

// 16 bytes are quadruple precision to Fortran's sized types, which is not C's long double.
primitive real_of(std::size_t size) {
  if (size == sizeof(float)) return primitive::float32;
  return size == sizeof(double) ? primitive::float64 : primitive::opaque;
}

primitive complex_of(std::size_t size) {
  if (size == 2 * sizeof(float)) return primitive::complex32;
  return size == 2 * sizeof(double) ? primitive::complex64 : primitive::opaque;
}

primitive integers_of(std::size_t size) {
  return size == 2 * sizeof(int) ? primitive::int_int : primitive::opaque;
}

primitive reals_of(std::size_t size) {
  if (size == 2 * sizeof(float)) return primitive::float_float;
  return size == 2 * sizeof(double) ? primitive::double_double : primitive::opaque;
}

// A type is one primitive, or for Fortran's the one of its size.
struct row {
  MPI_Datatype handle;
  primitive known = primitive::opaque;
  primitive (*by_size)(std::size_t) = nullptr;
};

template <class T>
constexpr primitive is() {
  return oriel::primitive_of<T>();
}

}  // namespace

primitive primitive_of(MPI_Datatype type, std::size_t size) noexcept {
  const row rows[] = {
      {MPI_BYTE, primitive::byte},
      {MPI_PACKED, primitive::byte},
      {MPI_CHAR, is<char>()},
      {MPI_SIGNED_CHAR, is<signed char>()},
      {MPI_UNSIGNED_CHAR, is<unsigned char>()},
      {MPI_WCHAR, is<wchar_t>()},
      {MPI_SHORT, is<short>()},
      {MPI_UNSIGNED_SHORT, is<unsigned short>()},
      {MPI_INT, is<int>()},
      {MPI_UNSIGNED, is<unsigned>()},
      {MPI_LONG, is<long>()},
      {MPI_UNSIGNED_LONG, is<unsigned long>()},
      {MPI_LONG_LONG, is<long long>()},
      {MPI_UNSIGNED_LONG_LONG, is<unsigned long long>()},
      {MPI_INT8_T, primitive::int8},
      {MPI_INT16_T, primitive::int16},
      {MPI_INT32_T, primitive::int32},
      {MPI_INT64_T, primitive::int64},
      {MPI_UINT8_T, primitive::uint8},
      {MPI_UINT16_T, primitive::uint16},
      {MPI_UINT32_T, primitive::uint32},
      {MPI_UINT64_T, primitive::uint64},
      {MPI_AINT, is<MPI_Aint>()},
      {MPI_OFFSET, is<MPI_Offset>()},
      {MPI_COUNT, is<MPI_Count>()},
      {MPI_FLOAT, primitive::float32},
      {MPI_DOUBLE, primitive::float64},
      {MPI_LONG_DOUBLE, primitive::float_long},
      {MPI_C_BOOL, primitive::boolean},
      {MPI_CXX_BOOL, primitive::boolean},
      {MPI_C_FLOAT_COMPLEX, primitive::complex32},
      {MPI_C_DOUBLE_COMPLEX, primitive::complex64},
      {MPI_C_LONG_DOUBLE_COMPLEX, primitive::complex_long},
      {MPI_CXX_FLOAT_COMPLEX, primitive::complex32},
      {MPI_CXX_DOUBLE_COMPLEX, primitive::complex64},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, primitive::complex_long},
      {MPI_FLOAT_INT, primitive::float_int},
      {MPI_DOUBLE_INT, primitive::double_int},
      {MPI_LONG_INT, primitive::long_int},
      {MPI_SHORT_INT, primitive::short_int},
      {MPI_LONG_DOUBLE_INT, primitive::long_double_int},
      {MPI_2INT, primitive::int_int},
      {MPI_CHARACTER, primitive::byte},
      {MPI_LOGICAL, {}, integer_of},
      {MPI_INTEGER, {}, integer_of},
      {MPI_REAL, {}, real_of},
      {MPI_DOUBLE_PRECISION, {}, real_of},
      {MPI_COMPLEX, {}, complex_of},
      {MPI_DOUBLE_COMPLEX, {}, complex_of},
      {MPI_2INTEGER, {}, integers_of},
      {MPI_2REAL, {}, reals_of},
      {MPI_2DOUBLE_PRECISION, {}, reals_of},
      {MPI_INTEGER1, {}, integer_of},
      {MPI_INTEGER2, {}, integer_of},
      {MPI_INTEGER4, {}, integer_of},
      {MPI_INTEGER8, {}, integer_of},
      {MPI_REAL4, {}, real_of},
      {MPI_REAL8, {}, real_of},
      {MPI_COMPLEX8, {}, complex_of},
      {MPI_COMPLEX16, {}, complex_of},
#ifdef MPI_LOGICAL1  // these are not in every mpi.h
      {MPI_LOGICAL1, {}, integer_of},
#endif
#ifdef MPI_LOGICAL2
      {MPI_LOGICAL2, {}, integer_of},
#endif
#ifdef MPI_LOGICAL4
      {MPI_LOGICAL4, {}, integer_of},
#endif
#ifdef MPI_LOGICAL8
      {MPI_LOGICAL8, {}, integer_of},
#endif
  };
  for (const row& r : rows) {
    if (r.handle != type) continue;
    const primitive p = r.by_size != nullptr ? r.by_size(size) : r.known;
    return data_bytes(p) == size ? p : primitive::opaque;
  }
  return primitive::opaque;
}

primitive primitive_of_f90(int combiner, int precision, std::size_t size) noexcept {
  if (combiner == MPI_COMBINER_F90_INTEGER) return integer_of(size);
  // Of two kinds of 16 bytes Fortran selects the x87 one as long as its 18 digits suffice.
  const bool extended = precision <= std::numeric_limits<long double>::digits10;
  if (combiner == MPI_COMBINER_F90_REAL)
    return size == sizeof(long double) && extended ? primitive::float_long : real_of(size);
  return size == 2 * sizeof(long double) && extended ? primitive::complex_long : complex_of(size);
}

std::size_t data_bytes(primitive p) noexcept {
  switch (p) {
    case primitive::double_int:
      return sizeof(double) + sizeof(int);
    case primitive::long_int:
      return sizeof(long) + sizeof(int);
    case primitive::short_int:
      return sizeof(short) + sizeof(int);
    case primitive::long_double_int:
      return sizeof(long double) + sizeof(int);
    default:
      return size_of(p);
  }
}

datatype bytes_of(const datatype& elements) {
  layout_builder all;
  const auto padded = [&all](const datatype::run& r, std::ptrdiff_t at) {
    const auto step = static_cast<std::ptrdiff_t>(size_of(r.type));
    if (r.type != primitive::short_int) {  // the padding follows the index
      all.place(datatype::bytes(data_bytes(r.type)), r.elements, at, step);
      return;
    }
    const datatype value = datatype::bytes(sizeof(short));
    const datatype index = datatype::bytes(sizeof(int));
    const auto gap = static_cast<std::ptrdiff_t>(offsetof(value_index<short>, index));
    for (std::size_t i = 0; i < r.elements; ++i, at += step) {
      all.place(value, 1, at, 0);
      all.place(index, 1, at + gap, 0);
    }
  };
  for (const datatype::run& r : elements.runs()) {
    if (data_bytes(r.type) == size_of(r.type)) {
      all.place(datatype::bytes(r.elements * size_of(r.type)), r.blocks, r.offset, r.stride);
      continue;
    }
    for (std::size_t b = 0; b < r.blocks; ++b)
      padded(r, r.offset + static_cast<std::ptrdiff_t>(b) * r.stride);
  }
  datatype made = all.finish();
  if (made.lb() == elements.lb() && made.extent() == elements.extent()) return made;
  return datatype::resized(made, elements.lb(), elements.extent());
}

}  // namespace oriel::mpi
