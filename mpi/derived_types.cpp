#include "mpi/derived_types.hpp"

#include <string>
#include <vector>

#include "mpi/layout_builder.hpp"
#include "mpi/predefined_types.hpp"
#include "mpi/types.hpp"

namespace oriel::mpi {
namespace {

std::size_t size_of_type(MPI_Datatype type) {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
    throw error(errc::type, "MPI_Type_size_x failed for a datatype");
  return static_cast<std::size_t>(size);
}

// Returns the layout with the bounds that MPI reports. The library chooses them where the standard
// leaves them open, as it does with the alignment of structures, and a type that contains this one
// must have the library's steps.
datatype with_bounds_of(MPI_Datatype type, datatype layout) {
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  if (PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS)
    throw error(errc::type, "MPI_Type_get_extent failed for a datatype");
  if (layout.lb() == lb && layout.extent() == extent) return layout;
  return datatype::resized(layout, lb, extent);
}

datatype one_element(primitive p, std::size_t size) {
  return p == primitive::opaque ? datatype::bytes(size) : datatype::of(p);
}

// `count` blocks, `stride` bytes apart, of `blocklength` elements.
datatype blocks_of(const datatype& old, std::ptrdiff_t count, std::ptrdiff_t blocklength,
                   std::ptrdiff_t stride) {
  layout_builder block;
  block.place(old, static_cast<std::size_t>(blocklength), 0, old.extent());
  layout_builder all;
  all.place(block.finish(), static_cast<std::size_t>(count), 0, stride);
  return all.finish();
}

std::ptrdiff_t in_bytes(std::ptrdiff_t elements, const datatype& of) {
  std::ptrdiff_t bytes;
  if (__builtin_mul_overflow(elements, of.extent(), &bytes))
    throw error(errc::count, "a datatype's displacement does not fit into 63 bits");
  return bytes;
}

// A block length and a displacement each. `scaled`: the displacements count elements.
datatype indexed(const std::vector<std::ptrdiff_t>& lengths,
                 const std::vector<std::ptrdiff_t>& displacements, const datatype& old,
                 bool scaled) {
  layout_builder all;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    all.place(old, static_cast<std::size_t>(lengths[i]),
              scaled ? in_bytes(displacements[i], old) : displacements[i], old.extent());
  return all.finish();
}

datatype structure_of(type_contents& made) {
  const auto n = static_cast<std::size_t>(made.next_count());
  const auto lengths = made.counts(n);
  const auto displacements = made.bytes(n);
  layout_builder all;
  for (std::size_t i = 0; i < n; ++i) {
    const datatype old = elements_of(made.types()[i]);
    all.place(old, static_cast<std::size_t>(lengths[i]), displacements[i], old.extent());
  }
  return all.finish(true);
}

// The constructors that Fortran programs called before MPI-3.0 differ from today's in where they
// keep displacements, which type_contents hides.
int modern(int combiner) {
#ifndef OPEN_MPI  // whose mpi.h makes errors of the removed names
  if (combiner == MPI_COMBINER_HVECTOR_INTEGER) return MPI_COMBINER_HVECTOR;
  if (combiner == MPI_COMBINER_HINDEXED_INTEGER) return MPI_COMBINER_HINDEXED;
  if (combiner == MPI_COMBINER_STRUCT_INTEGER) return MPI_COMBINER_STRUCT;
#endif
  return combiner;
}

datatype derived(type_contents& made) {
  const int combiner = modern(made.combiner());
  if (combiner == MPI_COMBINER_STRUCT) return structure_of(made);
  datatype old = elements_of(made.types().front());
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:  // whose new bounds are read from MPI, as all bounds are
      return old;
    case MPI_COMBINER_CONTIGUOUS:
      return blocks_of(old, 1, made.next_count(), 0);
    case MPI_COMBINER_VECTOR: {
      const std::ptrdiff_t count = made.next_count();
      const std::ptrdiff_t length = made.next_count();
      return blocks_of(old, count, length, in_bytes(made.next_count(), old));
    }
    case MPI_COMBINER_HVECTOR: {
      const std::ptrdiff_t count = made.next_count();
      const std::ptrdiff_t length = made.next_count();
      return blocks_of(old, count, length, made.next_bytes());
    }
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED: {
      const bool scaled = combiner == MPI_COMBINER_INDEXED;
      const auto n = static_cast<std::size_t>(made.next_count());
      const auto lengths = made.counts(n);
      return indexed(lengths, scaled ? made.counts(n) : made.bytes(n), old, scaled);
    }
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK: {
      const bool scaled = combiner == MPI_COMBINER_INDEXED_BLOCK;
      const auto n = static_cast<std::size_t>(made.next_count());
      const std::vector<std::ptrdiff_t> lengths(n, made.next_count());
      return indexed(lengths, scaled ? made.counts(n) : made.bytes(n), old, scaled);
    }
    case MPI_COMBINER_SUBARRAY:
      return subarray_of(made, old);
    case MPI_COMBINER_DARRAY:
      return darray_of(made, old);
    default:
      throw error(errc::type,
                  "a datatype was made by the unknown constructor " + std::to_string(combiner));
  }
}

}  // namespace

datatype elements_of(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  if (combiner == MPI_COMBINER_NAMED) {
    const std::size_t size = size_of_type(type);
    return with_bounds_of(type, one_element(primitive_of(type, size), size));
  }
  type_contents made(type);
  if (predefined_combiner(combiner)) {
    const std::size_t size = size_of_type(type);
    const auto precision = static_cast<int>(made.next_int());
    return with_bounds_of(type, one_element(primitive_of_f90(combiner, precision, size), size));
  }
  return with_bounds_of(type, derived(made));
}

}  // namespace oriel::mpi
