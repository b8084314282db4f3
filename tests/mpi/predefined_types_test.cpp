// What the predefined types of MPI are in oriel's terms, at either MPI.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "mpi/predefined_types.hpp"
#include "mpi/types.hpp"
#include "tests/mpi/type_walk.hpp"

namespace oriel::mpi {
namespace {

struct expectation {
  const char* name;
  MPI_Datatype handle;
  primitive meant;
};
#define ORIEL_EXPECT(type, meant) \
  { #type, type, primitive::meant }

// The two mpi.h together name these; where one lacks a type it is left out there.
std::vector<expectation> expectations() {
  return {
      ORIEL_EXPECT(MPI_BYTE, byte),
      ORIEL_EXPECT(MPI_PACKED, byte),
      ORIEL_EXPECT(MPI_CHAR, int8),
      ORIEL_EXPECT(MPI_SIGNED_CHAR, int8),
      ORIEL_EXPECT(MPI_UNSIGNED_CHAR, uint8),
      ORIEL_EXPECT(MPI_WCHAR, int32),
      ORIEL_EXPECT(MPI_SHORT, int16),
      ORIEL_EXPECT(MPI_UNSIGNED_SHORT, uint16),
      ORIEL_EXPECT(MPI_INT, int32),
      ORIEL_EXPECT(MPI_UNSIGNED, uint32),
      ORIEL_EXPECT(MPI_LONG, int64),
      ORIEL_EXPECT(MPI_UNSIGNED_LONG, uint64),
      ORIEL_EXPECT(MPI_LONG_LONG_INT, int64),
      ORIEL_EXPECT(MPI_LONG_LONG, int64),
      ORIEL_EXPECT(MPI_UNSIGNED_LONG_LONG, uint64),
      ORIEL_EXPECT(MPI_INT8_T, int8),
      ORIEL_EXPECT(MPI_INT16_T, int16),
      ORIEL_EXPECT(MPI_INT32_T, int32),
      ORIEL_EXPECT(MPI_INT64_T, int64),
      ORIEL_EXPECT(MPI_UINT8_T, uint8),
      ORIEL_EXPECT(MPI_UINT16_T, uint16),
      ORIEL_EXPECT(MPI_UINT32_T, uint32),
      ORIEL_EXPECT(MPI_UINT64_T, uint64),
      ORIEL_EXPECT(MPI_AINT, int64),
      ORIEL_EXPECT(MPI_OFFSET, int64),
      ORIEL_EXPECT(MPI_COUNT, int64),
      ORIEL_EXPECT(MPI_FLOAT, float32),
      ORIEL_EXPECT(MPI_DOUBLE, float64),
      ORIEL_EXPECT(MPI_LONG_DOUBLE, float_long),
      ORIEL_EXPECT(MPI_C_BOOL, boolean),
      ORIEL_EXPECT(MPI_CXX_BOOL, boolean),
      ORIEL_EXPECT(MPI_C_COMPLEX, complex32),
      ORIEL_EXPECT(MPI_C_FLOAT_COMPLEX, complex32),
      ORIEL_EXPECT(MPI_C_DOUBLE_COMPLEX, complex64),
      ORIEL_EXPECT(MPI_C_LONG_DOUBLE_COMPLEX, complex_long),
      ORIEL_EXPECT(MPI_CXX_FLOAT_COMPLEX, complex32),
      ORIEL_EXPECT(MPI_CXX_DOUBLE_COMPLEX, complex64),
      ORIEL_EXPECT(MPI_CXX_LONG_DOUBLE_COMPLEX, complex_long),
      ORIEL_EXPECT(MPI_FLOAT_INT, float_int),
      ORIEL_EXPECT(MPI_DOUBLE_INT, double_int),
      ORIEL_EXPECT(MPI_LONG_INT, long_int),
      ORIEL_EXPECT(MPI_SHORT_INT, short_int),
      ORIEL_EXPECT(MPI_LONG_DOUBLE_INT, long_double_int),
      ORIEL_EXPECT(MPI_2INT, int_int),
      ORIEL_EXPECT(MPI_CHARACTER, byte),
      ORIEL_EXPECT(MPI_LOGICAL, int32),
      ORIEL_EXPECT(MPI_INTEGER, int32),
      ORIEL_EXPECT(MPI_INTEGER1, int8),
      ORIEL_EXPECT(MPI_INTEGER2, int16),
      ORIEL_EXPECT(MPI_INTEGER4, int32),
      ORIEL_EXPECT(MPI_INTEGER8, int64),
      ORIEL_EXPECT(MPI_REAL, float32),
      ORIEL_EXPECT(MPI_REAL4, float32),
      ORIEL_EXPECT(MPI_REAL8, float64),
      ORIEL_EXPECT(MPI_REAL16, opaque),
      ORIEL_EXPECT(MPI_DOUBLE_PRECISION, float64),
      ORIEL_EXPECT(MPI_COMPLEX, complex32),
      ORIEL_EXPECT(MPI_COMPLEX8, complex32),
      ORIEL_EXPECT(MPI_COMPLEX16, complex64),
      ORIEL_EXPECT(MPI_COMPLEX32, opaque),
      ORIEL_EXPECT(MPI_DOUBLE_COMPLEX, complex64),
      ORIEL_EXPECT(MPI_2INTEGER, int_int),
      ORIEL_EXPECT(MPI_2REAL, float_float),
      ORIEL_EXPECT(MPI_2DOUBLE_PRECISION, double_double),
#ifdef OPEN_MPI
      ORIEL_EXPECT(MPI_LOGICAL1, int8),
      ORIEL_EXPECT(MPI_LOGICAL2, int16),
      ORIEL_EXPECT(MPI_LOGICAL4, int32),
      ORIEL_EXPECT(MPI_LOGICAL8, int64),
      ORIEL_EXPECT(MPI_2COMPLEX, opaque),
      ORIEL_EXPECT(MPI_2DOUBLE_COMPLEX, opaque),
#endif
  };
}

// A predefined type's entry in every respect.
void expect_element(const char* name, MPI_Datatype handle, primitive meant) {
  SCOPED_TRACE(name);
  const type_entry* const e = find_type(handle);
  ASSERT_NE(e, nullptr);
  ASSERT_TRUE(e->known);
  EXPECT_EQ(e->handle, handle);
  EXPECT_EQ(oriel::name(e->element), oriel::name(meant));
  EXPECT_EQ(find_type(handle), e);
  int size = 0;
  MPI_Type_size(handle, &size);
  EXPECT_EQ(e->size, static_cast<std::size_t>(size));
  EXPECT_EQ(e->bytes().size(), e->size);
  if (meant == primitive::opaque) {
    EXPECT_EQ(e->element_count, 0u);
    EXPECT_EQ(e->elements().size(), e->size);
    return;
  }
  EXPECT_EQ(e->element_count, 1u);
  EXPECT_EQ(e->elements(), datatype::of(meant));
  EXPECT_EQ(e->size, data_bytes(meant));
  EXPECT_EQ(e->dense, data_bytes(meant) == size_of(meant));
  std::vector<std::byte> three(3 * size_of(meant));
  for (std::size_t i = 0; i < three.size(); ++i) three[i] = static_cast<std::byte>(i);
  EXPECT_EQ(packed(e->bytes(), 3, three.data()), packed_by_mpi(handle, 3, three.data()));
}

TEST(PredefinedTypes, AreThePrimitivesTheyAre) {
  for (const auto& [name, handle, meant] : expectations())
    if (handle != MPI_DATATYPE_NULL) expect_element(name, handle, meant);
}

TEST(PredefinedTypes, OfFortranAreSelectedByPrecision) {
  MPI_Datatype type;
  MPI_Type_create_f90_real(6, 37, &type);
  expect_element("real(6, 37)", type, primitive::float32);
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  expect_element("real(15)", type, primitive::float64);
  MPI_Type_create_f90_complex(6, 37, &type);
  expect_element("complex(6, 37)", type, primitive::complex32);
  MPI_Type_create_f90_complex(15, 307, &type);
  expect_element("complex(15, 307)", type, primitive::complex64);
  MPI_Type_create_f90_integer(2, &type);
  expect_element("integer(2)", type, primitive::int8);
  MPI_Type_create_f90_integer(4, &type);
  expect_element("integer(4)", type, primitive::int16);
  MPI_Type_create_f90_integer(9, &type);
  expect_element("integer(9)", type, primitive::int32);
  MPI_Type_create_f90_integer(18, &type);
  expect_element("integer(18)", type, primitive::int64);
}

TEST(PredefinedTypes, OfSixteenBytesAreExtendedOnlyAsFarAsTheyReach) {
  EXPECT_EQ(primitive_of_f90(MPI_COMBINER_F90_REAL, 18, 16), primitive::float_long);
  EXPECT_EQ(primitive_of_f90(MPI_COMBINER_F90_REAL, 33, 16), primitive::opaque);
  EXPECT_EQ(primitive_of_f90(MPI_COMBINER_F90_COMPLEX, 18, 32), primitive::complex_long);
  EXPECT_EQ(primitive_of_f90(MPI_COMBINER_F90_COMPLEX, 33, 32), primitive::opaque);
  EXPECT_EQ(primitive_of_f90(MPI_COMBINER_F90_INTEGER, 38, 16), primitive::opaque);
}

TEST(PredefinedTypes, MatchSizes) {
  MPI_Datatype type;
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
  expect_element("real of 8", type, primitive::float64);
  MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &type);
  expect_element("integer of 8", type, primitive::int64);
  MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type);
  expect_element("complex of 8", type, primitive::complex32);
}

TEST(PredefinedTypes, NullIsNoType) {
  EXPECT_EQ(find_type(MPI_DATATYPE_NULL), nullptr);
}

}  // namespace
}  // namespace oriel::mpi
