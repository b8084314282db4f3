// MPI's datatypes, decoded: each once, at its first use, and found again by its handle until MPI
// frees it.
//
// Threads: every function here may be called by any thread at any time between MPI_Init and
// close_types; a type that was seen before costs one lookup that takes no lock.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/type_table.hpp"
#include "oriel/datatype.hpp"
#include "oriel/primitive.hpp"

namespace oriel::mpi {

// One MPI datatype. The entry goes when MPI frees the type, which is when its last use by MPI ends;
// an operation that outlives the call that started it keeps copies of the layouts, not the entry.
struct type_entry {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  // Whether the layout could be decoded and agrees with what the MPI library reports of the type.
  // If not, the sizes and bounds are still the library's and the layouts are empty: refuse the
  // type.
  bool known = false;
  // The data are one run from displacement 0 and elements follow each other without gaps, so that
  // `count` of the type are count * size bytes. True of types without data.
  bool dense = false;
  // The primitive that all elements are, when they also lie one after the other from displacement 0
  // without gaps other than a pair's own padding: `element_count` of them in one of the type.
  // Opaque, and 0, of every other type.
  primitive element = primitive::opaque;
  std::size_t element_count = 0;

  std::size_t size = 0;  // bytes of data
  std::ptrdiff_t lb = 0;
  std::ptrdiff_t extent = 0;
  std::ptrdiff_t true_lb = 0;  // 0 of types without data
  std::size_t true_extent = 0;

  datatype byte_layout;
  datatype element_layout;

  // For put and get: runs of opaque bytes in typemap order, pairs without their padding. Types of
  // equal size have equal signatures, whatever they are made of, since programs mix MPI_BYTE with
  // other types.
  [[nodiscard]] const datatype& bytes() const noexcept { return byte_layout; }
  // For accumulates: the typemap in primitives; what has no primitive is opaque bytes.
  [[nodiscard]] const datatype& elements() const noexcept { return element_layout; }
};

// Decodes a type seen for the first time; find_type calls it.
const type_entry* enter_type(MPI_Datatype) noexcept;

// Returns the entry of `type`; null for MPI_DATATYPE_NULL, for handles that MPI refuses and when
// memory is short. MPI has no query for whether a type is committed, so uncommitted types have
// entries too.
inline const type_entry* find_type(MPI_Datatype type) noexcept {
  const type_entry* const seen = seen_types.find(type);
  return seen != nullptr ? seen : enter_type(type);
}

// Forgets all types. Called once, before MPI is finalized and when no thread uses an entry anymore.
void close_types() noexcept;

}  // namespace oriel::mpi
