// Raising errors: MPI's error handlers, and the text that is printed when one ends the job.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/error_codes.hpp"
#include "oriel/call_site.hpp"
#include "oriel/errc.hpp"

namespace oriel::mpi {

class mpi_window;

// Calls the window's error handler with the class of `failed`, and returns that. Where the handler
// ends the job, the window's failure goes to standard error first: "window 'x', rank 1: …". Clears
// the window's failure. Out of line and cold, so that calls that succeed set up nothing for it.
[[gnu::cold]] int raise(mpi_window&, errc failed) noexcept;
// The same for what this library finds wrong before it calls the window: `what`, which under
// ORIEL_CHECK is reported with the place of the call, whatever the handler.
int raise_class(mpi_window&, call_site, int error_class, const std::string& what) noexcept;
[[gnu::cold]] int out_of_epoch(mpi_window&, call_site, const char* call, const char* why) noexcept;
// Of construction: the communicator's handler.
int raise(MPI_Comm, errc failed, const std::string& what) noexcept;

// What a call returns whose work ended so.
inline int code_of(mpi_window& w, status s) noexcept {
  return s.ok() ? MPI_SUCCESS : raise(w, s.code());
}

}  // namespace oriel::mpi
