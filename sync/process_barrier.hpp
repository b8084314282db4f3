// A memory barrier on every processor that runs a thread of a process that takes part
// (membarrier(2)): what lets one side of a protocol order its accesses for the other side, which
// then needs plain ones alone.
#pragma once

#include "oriel/errc.hpp"

namespace oriel::sync {

// Has this process take part from now on. Returns whether the kernel can do it. Any thread; later
// calls cost a load.
bool join_process_barriers() noexcept;

// Returns when every thread of the processes that take part has performed a full barrier, or was
// not running. Takes 2 to 15 us. Returns system where the kernel refuses.
errc process_barrier() noexcept;

}  // namespace oriel::sync
