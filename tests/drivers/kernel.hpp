// The kernel oriel_apply, emulated with the host's atomics on the driver's alias of the memory, so
// that it is atomic with those of other processes too.
#pragma once

#include "kinds/atomic_task.hpp"

namespace oriel::test_driver {

// False after a fault: the task touches what kernels do not reach, or is one that no kernel does.
bool run_atomic_kernel(const kinds::atomic_task&);

}  // namespace oriel::test_driver
