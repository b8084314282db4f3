// A job that a PMIx server started: Open MPI's mpirun, prterun, Slurm's srun --mpi=pmix.
#pragma once

#include <chrono>
#include <memory>

#include "session/bootstrap/bootstrap.hpp"

namespace oriel::sessions {

// Requires: PMIX_NAMESPACE and PMIX_RANK are set, as a PMIx launcher sets them. Uses this process's
// one connection, which the first call makes. Throws as pmix_client does, and system when oriel was
// built without PMIx.
std::unique_ptr<bootstrap> join_pmix(std::chrono::milliseconds timeout);

}  // namespace oriel::sessions
