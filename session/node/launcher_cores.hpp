// The cores of threads that serve other ranks. Launchers bind each rank to a core, which the
// program may keep busy for as long as it computes, or waits in MPI; a thread that may run nowhere
// else waits for the scheduler's next slice with each request.
#pragma once

namespace oriel::sessions {

// Lets the calling thread run where the process that started this one may: the launcher, which has
// the cores that the user or the batch system gave to the job. The thread keeps its own cores where
// that process cannot be asked.
void use_launcher_cores() noexcept;

}  // namespace oriel::sessions
