// The part of a construction that concerns memory of devices, once the window has its blocks.
#pragma once

#include "win/construct/own_memory.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Makes the node's memory known to devices, where that was requested. `allocated`: this rank's
// segment, if it is a device's and made here. `node_bytes`: of the window's segments in node
// memory. Throws error.
void prepare_devices(detail::window_core&, const own_memory& mine, std::byte* allocated,
                     std::uint64_t node_bytes);

}  // namespace oriel::win
