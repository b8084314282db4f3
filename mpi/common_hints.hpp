// The hints with which one window is made. MPI lets each rank give its own (MPI-4.1 §10, §12.2.1),
// and a hint is a promise or a permission of the rank that gives it: the window uses those on which
// all of its ranks can rely.
#pragma once

#include <cstdint>

#include "oriel/info.hpp"

namespace oriel::mpi {

// The effect of one rank's hints, or of several ranks' together, of those that hold for the window
// as a whole. Plain bytes, which ranks exchange. Hints about a process's own buffers
// (mpi_assert_memory_alloc_kinds) and devices stay with that process.
struct common_hints {
  // Promises and permissions: in force where every rank gives them.
  bool no_locks = false;
  bool unordered = false;  // accumulate_ordering = none
  bool apart = false;      // alloc_shared_noncontig
  bool same_size = false;
  bool same_unit = false;
  bool same_op = false;           // accumulate_ops = same_op
  std::uint64_t granularity = 0;  // mpi_accumulate_granularity; 0 where ranks differ
  // Wishes: in force where any rank gives them.
  bool left_to_host = false;    // oriel = false
  std::uint64_t alignment = 0;  // mpi_minimum_memory_alignment: the largest; 0: none was given

  static common_hints of(const info& given);
  // With those of one more rank.
  void merge(const common_hints&) noexcept;
  // Returns the hints of a rank that gave `own`, with these in their place. A malformed alignment
  // stays as it was given, so that its rank gets the error.
  [[nodiscard]] info in_place_of(const info& own) const;
  // The same, but for those that only MPI_Win_get_info wants to know.
  [[nodiscard]] info needed_with(const info& own) const;
};

}  // namespace oriel::mpi
