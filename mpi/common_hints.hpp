// The hints that one window is made with. MPI lets each rank give its own (MPI-4.1 §10, §12.2.1),
// and a hint is a promise or a permission of those who give it: the window honours what all of its
// ranks can rely on.
#pragma once

#include <cstdint>

#include "oriel/info.hpp"

namespace oriel::mpi {

// What the hints of a rank come to, of those that the window as a whole has; or what those of
// several ranks come to together. Plain bytes, for it travels to the others. Hints about a
// process's own buffers (mpi_assert_memory_alloc_kinds) and devices stay that process's own.
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
  // The hints of a rank that gave `own`, with these in place of its own. A malformed alignment
  // stays as it was given, for its rank to be told of.
  [[nodiscard]] info in_place_of(const info& own) const;
};

}  // namespace oriel::mpi
