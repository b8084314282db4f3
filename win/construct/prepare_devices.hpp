// The part of a construction that concerns memory of devices.
#pragma once

#include "win/construct/agree.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/own_memory.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Makes or takes over this rank's memory, and leaves in the control block what its node's others
// need to open it. `node_bytes`: of the window's segments in node memory. Throws error.
void prepare_devices(detail::window_core&, const agreement&, const own_memory& mine,
                     const construction&, std::uint64_t node_bytes);

// Opens the memory of the others, once all of the node have come to the end of the former. Throws.
void open_neighbours(detail::window_core&, const agreement&);

}  // namespace oriel::win
