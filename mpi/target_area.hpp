// The checks that every operation with a target shares, once it is not the common case.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/mpi_window.hpp"
#include "mpi/types.hpp"

namespace oriel::mpi {

// What an operation reaches at its target.
struct target_area {
  rank owner;
  disp first;            // in elements of the window's base type
  bool nothing = false;  // no data: there is nothing left to do
};

// MPI_SUCCESS, or the code of an error that has been raised: MPI_ERR_RANK, COUNT, TYPE, RMA_SYNC
// (no epoch is open for the target), RMA_RANGE, DISP. The target is not MPI_PROC_NULL. `what` names
// the call in messages.
int find_area(mpi_window&, call_site, const char* what, int target, MPI_Aint displacement,
              MPI_Count count, const type_entry*, target_area& found) noexcept;

// A buffer of this process: MPI_ERR_COUNT and MPI_ERR_TYPE.
int check_buffer(mpi_window&, call_site, const char* what, MPI_Count count,
                 const type_entry*) noexcept;

}  // namespace oriel::mpi
