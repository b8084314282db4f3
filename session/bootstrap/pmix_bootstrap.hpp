// A job that a PMIx server started: Open MPI's mpirun, prterun, Slurm's srun --mpi=pmix.
#pragma once

#include <chrono>
#include <memory>

#include "session/bootstrap/bootstrap.hpp"

namespace oriel::sessions {

// REQUIRES: PMIX_NAMESPACE and PMIX_RANK are set, which tell that a PMIx launcher started this
// process. Through this process's one connection, which is made at the first call. Throws as
// pmix_client does, and system when oriel was built without PMIx.
std::unique_ptr<bootstrap> join_pmix(std::chrono::milliseconds timeout);

}  // namespace oriel::sessions
