// Giving up a window.
#pragma once

#include <memory>

#include "win/window_core.hpp"

namespace oriel::win {

// Gives up this rank's part; collective. The core is gone afterwards. Returns its first failure.
status dismantle(std::unique_ptr<detail::window_core>) noexcept;

// Its last step, also for a construction that fails half-way: takes back what others may reach, and
// gives the shared memory back when no other living rank of this node has it.
void depart(detail::window_core&) noexcept;

// Of a window over device memory, some of whose ranks have died: closes what others own, and gives
// the living of this node some time to close this rank's before it is freed.
void part_from_devices_of_the_dead(detail::window_core&) noexcept;

}  // namespace oriel::win
