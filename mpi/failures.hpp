// From oriel's errors to MPI's: classes, error handlers and what is said when one is fatal.
#pragma once

#include <mpi.h>

#include <string>

#include "oriel/errc.hpp"

namespace oriel::mpi {

class mpi_window;

// A class of MPI's (MPI-4.1 §9.4, §12.6.1); what has none of its own is MPI_ERR_OTHER.
int error_code_of(errc) noexcept;

// Calls the window's error handler with the class of `failed`, and returns that. A handler that
// ends the job hears `what` first, on standard error: "window 'x', rank 1: …"; where that is empty,
// the window's own failure. Clears the window's failure.
int raise(mpi_window&, errc failed, const std::string& what = {}) noexcept;
int raise_class(mpi_window&, int error_class, const std::string& what) noexcept;
// Of construction: the communicator's handler.
int raise(MPI_Comm, errc failed, const std::string& what) noexcept;

}  // namespace oriel::mpi
