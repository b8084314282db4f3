// Raising errors: MPI's error handlers, and the text that is printed when one ends the job.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/error_codes.hpp"
#include "oriel/errc.hpp"

namespace oriel::mpi {

class mpi_window;

// Calls the window's error handler with the class of `failed`, and returns that. Where the handler
// ends the job, `what` goes to standard error first: "window 'x', rank 1: …"; where that is empty,
// the window's own failure. Clears the window's failure.
int raise(mpi_window&, errc failed, const std::string& what = {}) noexcept;
int raise_class(mpi_window&, int error_class, const std::string& what) noexcept;
// Of construction: the communicator's handler.
int raise(MPI_Comm, errc failed, const std::string& what) noexcept;

}  // namespace oriel::mpi
