// The owner's half of requests for many places of its memory.
#pragma once

#include <span>

#include "sync/mailbox.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Carries out what a request `m` has in its `list`, of m.elements bytes, which another process
// wrote. Results follow one another in `results`, which has as much room; `replied` are their
// bytes. Returns rma_range where it does not lie in exposed memory, all of it, that this process
// may write; the runs before are carried out then.
errc apply_runs(detail::window_core&, const sync::am_request& m, const std::byte* list,
                std::byte* results, std::size_t& replied) noexcept;

// Copies the blocks of runs (sync::for_each_run) to `room`, one after the other. Returns rma_range
// where they do not lie in exposed memory or are longer than the room.
errc collect_runs(const detail::window_core&, std::span<const std::byte> runs,
                  std::span<std::byte> room) noexcept;

}  // namespace oriel::win
