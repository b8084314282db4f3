// Calls of the host's own behind which ORIEL_CHECK takes accesses to windows for ordered.
#pragma once

#include "mpi/host.hpp"
#include "mpi/order.hpp"

// One call, by its parameters and its arguments.
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_ORDERING_CALL(name, parameters, arguments)  \
  ORIEL_EXPORT int MPI_##name parameters {                \
    return oriel::mpi::heard(ORIEL_HOST(name) arguments); \
  }                                                       \
  ORIEL_ALSO_PMPI(name)
// NOLINTEND(bugprone-macro-parentheses)
