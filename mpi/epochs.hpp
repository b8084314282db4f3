// Which calls an open epoch allows (MPI-4.1 §12.5), so that a call too many or too few raises
// MPI_ERR_RMA_SYNC; and what opening and closing one changes.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/failures.hpp"
#include "mpi/mpi_window.hpp"

namespace oriel::mpi {

// An access epoch other than a fence's: lock, lock_all, start.
inline bool access_is_open(const mpi_window& w) noexcept {
  return w.starting.load(std::memory_order_relaxed) ||
         w.all_locked.load(std::memory_order_relaxed) ||
         w.locks.load(std::memory_order_relaxed) != 0;
}
inline bool passive_is_open(const mpi_window& w) noexcept {
  return w.all_locked.load(std::memory_order_relaxed) ||
         w.locks.load(std::memory_order_relaxed) != 0;
}
// MPI_SUCCESS, or MPI_ERR_ASSERT where `given` is no combination of MPI_MODE_ constants.
inline int check_assertions(mpi_window& w, call_site at, const char* what, int given) noexcept {
  constexpr int known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
                        MPI_MODE_NOSUCCEED;
  if ((given & ~known) == 0) [[likely]]
    return MPI_SUCCESS;
  return raise_class(w, at, MPI_ERR_ASSERT,
                     std::string(what) + ": " + std::to_string(given) +
                         " is no combination of MPI_MODE_ constants");
}
// A fence opens an epoch only for those that access in it: another kind of epoch may follow, and
// then there was none.
inline void forget_fence(mpi_window& w) noexcept {
  if (!w.fenced.load(std::memory_order_relaxed)) return;
  w.fenced.store(false, std::memory_order_relaxed);
  w.all_open.store(0, std::memory_order_relaxed);
}

}  // namespace oriel::mpi
