// The fourth stage of a construction: on each node the first rank takes the window's blocks from
// the node's memory, and the others receive their addresses, or the failure.
#pragma once

#include "session/outcome.hpp"
#include "win/construct/plan.hpp"
#include "win/construct/reservation.hpp"

namespace oriel::win {

struct reserved {
  reservation room;
  // Of this node, the same on all its ranks. `publish` reports a failure to the other nodes.
  sessions::outcome how;
};

// Collective over the node. Throws what fails where this is the only node, and cannot_construct's.
reserved reserve(const blueprint&);

}  // namespace oriel::win
