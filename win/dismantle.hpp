// Giving up a window.
#pragma once

#include <memory>

#include "win/window_core.hpp"

namespace oriel::win {

// Gives up this rank's part; collective. The core is gone afterwards. Returns its first failure.
status dismantle(std::unique_ptr<detail::window_core>) noexcept;

// Its steps, for a construction that fails half-way. The ranks of this node that have died cannot
// depart; this rank's departure, when it is the last, gives the shared memory back.
void bury_the_dead(detail::window_core&) noexcept;
void depart(detail::window_core&) noexcept;

}  // namespace oriel::win
