// MPI's classes of oriel's errors.
#pragma once

#include <mpi.h>

#include "oriel/errc.hpp"

namespace oriel::mpi {

// A class of MPI's (MPI-4.1 §9.4, §12.6.1), which is a code too; what has none of its own is
// MPI_ERR_OTHER.
int error_code_of(errc) noexcept;

}  // namespace oriel::mpi
