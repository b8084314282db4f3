// ORIEL_CHECK: whether the asserts of synchronization calls (MPI-4.1 §12.5.5) are true. What breaks
// one is reported, and done all the same: other ranks rely on it. Each is called around the slot
// that it is named for.
#pragma once

#include <span>

#include "oriel/call_site.hpp"
#include "oriel/rank.hpp"
#include "oriel/sync_mode.hpp"
#include "win/check/shadow_log.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

void check_fence_mode(detail::window_core&, sync_mode, call_site) noexcept;
void check_post_mode(detail::window_core&, sync_mode, call_site) noexcept;
void end_post_mode(detail::window_core&) noexcept;
void check_start_mode(detail::window_core&, std::span<const rank> targets, sync_mode,
                      call_site) noexcept;
// Of a lock, or with any_rank of lock_all: before it is taken, when it is, and before it is left.
void check_lock_mode(detail::window_core&, lock_kind, rank, sync_mode, call_site) noexcept;
void note_lock(detail::window_core&, lock_kind, rank, sync_mode, call_site) noexcept;
void forget_lock(detail::window_core&, rank) noexcept;
// Of an operation that is about to be performed; `writes`: it changes its target.
void check_promises(detail::window_core&, rank, bool writes, const char* what, call_site) noexcept;

}  // namespace oriel::win
