// What the predefined datatypes of MPI (MPI-4.1 §3.2.2, §5.1.11, §6.9) are in oriel's terms.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "oriel/datatype.hpp"
#include "oriel/primitive.hpp"

namespace oriel::mpi {

// The primitive that a predefined datatype of `size` data bytes is, and opaque for those that oriel
// has no arithmetic for: quadruple precision, 16-byte integers, pairs of complex numbers, and
// whatever an MPI library adds. Fortran types go by their size here, since compiler options change
// it; a LOGICAL is the integer of its size.
primitive primitive_of(MPI_Datatype, std::size_t size) noexcept;

// The same for the types of MPI_Type_create_f90_real, _integer and _complex: `combiner` names the
// constructor and `precision` is its argument.
primitive primitive_of_f90(int combiner, int precision, std::size_t size) noexcept;

// Bytes of data in one element: its size, without the padding that pairs have.
std::size_t data_bytes(primitive) noexcept;

// The data bytes of `elements`, as runs of opaque bytes in typemap order. Throws errc::count when
// these are too many.
datatype bytes_of(const datatype& elements);

}  // namespace oriel::mpi
