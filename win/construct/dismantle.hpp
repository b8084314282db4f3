// Giving up a window.
#pragma once

#include <memory>

#include "win/construct/parting.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Ends the epochs that are open, which is rma_sync, and gives up this rank's part; collective. The
// core is gone afterwards. Returns its first failure.
status dismantle(std::unique_ptr<detail::window_core>) noexcept;

// Its last step, also for a construction that fails half-way: withdraws what others may reach, and
// releases the shared memory when no other living rank of this node uses it. Memory that a rank may
// still access stays until the session ends.
void depart(detail::window_core&, afterwards = afterwards::no_rank) noexcept;

// Of a construction that fails half-way because some rank has died.
void give_up_after_a_death(detail::window_core&) noexcept;

}  // namespace oriel::win
