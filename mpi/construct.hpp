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
  // A failure of this rank's arguments, which all ranks return: errc::type or
  // unsupported_assertion.
  errc wrong = errc::success;
};

// Collective. Sets `made`, or returns the code of an error for which the communicator's handler was
// called, the same on all ranks. A null `made` after success: the host must make the window,
// because its hint `oriel` is false, or because oriel cannot provide it (processes of another job,
// no session, an assertion).
int construct(const window_request&, mpi_window*& made) noexcept;

}  // namespace oriel::mpi
