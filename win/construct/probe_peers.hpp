// The part of a construction that finds out how each rank is reached.
#pragma once

#include "win/construct/agree.hpp"
#include "win/construct/own_memory.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Chooses the routes, and writes this process's own table of segments where it needs one. The
// others have all prepared their parts. `mine`: this rank's memory.
void probe_peers(detail::window_core&, const agreement&, const own_memory& mine);

}  // namespace oriel::win
