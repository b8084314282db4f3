// oriel_device: the device that memory is allocated on.
#pragma once

#include "kinds/device_runtime.hpp"
#include "oriel/info.hpp"

namespace oriel::sessions {

// The hint's ordinal, or for `in_turn` a device in turn by `node_rank`, this rank's among those of
// its node. Without it the calling thread's current device, and where it has chosen none, one in
// turn; HIP's threads have device 0 where they have chosen none. Throws errc::info when the hint
// names no device of the runtime's.
int device_hint(const info&, const kinds::device_runtime&, int node_rank);

}  // namespace oriel::sessions
