#include <vector>

#include "mpi/derived_types.hpp"
#include "mpi/layout_builder.hpp"

namespace oriel::mpi {
namespace {

// What one dimension of an array contributes: blocks of `length` indices, `period` apart, the first
// at `start`; the array ends at `size` and cuts the last block short.
struct dealt {
  std::ptrdiff_t size, start, length, period;
};

// `dimensions` from the slowest index to the fastest. The extent is the whole array's.
datatype array_of(const std::vector<dealt>& dimensions, const datatype& old) {
  datatype part = old;
  std::ptrdiff_t step = old.extent();  // between neighbours in the dimension at hand
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const dealt& d = dimensions[i];
    std::ptrdiff_t whole;
    if (__builtin_mul_overflow(step, d.size, &whole))
      throw error(errc::count, "an array's extent does not fit into 63 bits");
    const std::ptrdiff_t room = d.size - d.start;  // none for a process that was dealt nothing
    const std::ptrdiff_t full =
        d.length > 0 && room >= d.length ? (room - d.length) / d.period + 1 : 0;
    const std::ptrdiff_t rest = room - full * d.period;  // of a last block that the array cuts
    layout_builder row;
    if (full > 0) {
      layout_builder block;
      block.place(part, static_cast<std::size_t>(d.length), 0, step);
      row.place(block.finish(), static_cast<std::size_t>(full), d.start * step,
                full > 1 ? d.period * step : 0);
    }
    if (rest > 0 && rest < d.length)
      row.place(part, static_cast<std::size_t>(rest), (d.size - rest) * step, step);
    part = row.finish();
    step = whole;
  }
  return datatype::resized(part, 0, step);
}

// Which blocks of a dimension the process at `coordinate` of `processes` has.
dealt deal(std::ptrdiff_t size, std::ptrdiff_t distribution, std::ptrdiff_t argument,
           std::ptrdiff_t processes, std::ptrdiff_t coordinate) {
  if (distribution == MPI_DISTRIBUTE_NONE) return {size, 0, size, size};
  std::ptrdiff_t length = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    length = distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  return {size, coordinate * length, length, processes * length};
}

}  // namespace

datatype subarray_of(type_contents& made, const datatype& old) {
  const auto n = static_cast<std::size_t>(made.next_int());
  const auto sizes = made.counts(n);
  const auto subsizes = made.counts(n);
  const auto starts = made.counts(n);
  const bool fortran = made.next_int() == MPI_ORDER_FORTRAN;
  std::vector<dealt> dimensions(n);
  for (std::size_t i = 0; i < n; ++i)
    dimensions[fortran ? n - 1 - i : i] = {sizes[i], starts[i], subsizes[i], sizes[i]};
  return array_of(dimensions, old);
}

datatype darray_of(type_contents& made, const datatype& old) {
  made.next_int();  // the number of processes, which the grid has too
  std::ptrdiff_t rank = made.next_int();
  const auto n = static_cast<std::size_t>(made.next_int());
  const auto sizes = made.counts(n);
  const auto distributions = made.ints(n);
  const auto arguments = made.ints(n);
  const auto processes = made.ints(n);
  const bool fortran = made.next_int() == MPI_ORDER_FORTRAN;
  std::vector<dealt> dimensions(n);
  for (std::size_t i = n; i-- > 0; rank /= processes[i])  // the grid is in C order, always
    dimensions[fortran ? n - 1 - i : i] =
        deal(sizes[i], distributions[i], arguments[i], processes[i], rank % processes[i]);
  return array_of(dimensions, old);
}

}  // namespace oriel::mpi
