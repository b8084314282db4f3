// Making a window for one of MPI's constructors.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "mpi/mpi_window.hpp"
#include "oriel/assertion.hpp"

namespace oriel::mpi {

struct window_request {
  const char* what;      // the call, for messages
  int flavor;            // MPI_WIN_FLAVOR_…
  void* base = nullptr;  // of a window on the caller's memory
  MPI_Aint bytes = 0;
  MPI_Aint unit = 1;
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  // Of the constructors that name their assertions (oriel_mpi.h); the others get all that their
  // flavor and their hints leave.
  std::optional<assertion_set> asserted{};
  MPI_Datatype base_type = MPI_BYTE;
  bool may_attach = false;
  // What is wrong on this rank already, for all to hear: errc::type or unsupported_assertion.
  errc wrong = errc::success;
};

// Collective. Sets `made`, or returns the code of an error that the communicator's handler has
// heard, the same on all ranks. Null in `made` after success: the window is the host's to make,
// because its hint `oriel` says false, or because oriel cannot have it (processes of another job,
// no session, something that it cannot provide).
int construct(const window_request&, mpi_window*& made) noexcept;

}  // namespace oriel::mpi
