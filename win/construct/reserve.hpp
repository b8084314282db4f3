// The fourth stage of a construction: on each node the first rank takes the window's blocks from
// the node's memory, and the others receive their addresses, or the failure.
#pragma once

#include "session/outcome.hpp"
#include "win/construct/plan.hpp"
#include "win/construct/reservation.hpp"
#include "win/construct/try_devices.hpp"

namespace oriel::win {

struct reserved {
  reservation room;
  // Of this node, the same on all its ranks. `publish` reports a failure to the other nodes.
  sessions::outcome how;
};

// Collective over the node. Throws what fails where this is the only node, and cannot_construct's.
// What was opened on trial is closed before a rank departs from blocks whose construction has
// failed, since owners free after that.
reserved reserve(const blueprint&, tried_devices&);

// For a rank that ends the construction of the window `id` before this stage, because a collective
// has failed with `code`: the first rank may have come to it all the same, and its blocks are
// released once all living ranks of the node have departed from them. Requires: this rank has
// closed what it had opened.
void salvage_blocks(detail::team_state&, std::uint64_t id, errc code);

}  // namespace oriel::win
