// The kernel oriel_apply on one of the process's devices, run by the host with its own atomics on
// the driver's alias of the memory, so that it is atomic with those of other processes. Its body is
// the devices' own.
#pragma once

#include "kinds/atomic_task.hpp"

namespace oriel::test_driver {

// False after a fault: the task touches what kernels do not reach, or is one that no kernel does.
bool run_atomic_kernel(int device, const kinds::atomic_task&);

}  // namespace oriel::test_driver
