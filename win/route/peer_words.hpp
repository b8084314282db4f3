// The words that a rank keeps for those who synchronize with it, in the control block of its node:
// mapped here, or reached by messages.
#pragma once

#include <string>

#include "sync/group_lock.hpp"
#include "win/check/shadow_log.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// What is left to do where one attempt is not enough. `locked`: the rank of which a lock is wanted,
// any_rank of all.
errc wait_for_word(detail::window_core&, rank holder, lock_word, sync::lock_group,
                   std::uint32_t epoch, rank locked) noexcept;

// Of rank `holder`. Out of line these two cost an exclusive epoch on the node 2.2 of its 16.5 ns.
[[gnu::always_inline]] inline errc enter_word(detail::window_core& core, rank holder,
                                              lock_word which, sync::lock_group group,
                                              std::uint32_t epoch, rank locked) noexcept {
  if (core.is_remote(holder)) [[unlikely]]
    return wait_for_word(core, holder, which, group, epoch, locked);
  const bool all = which == lock_word::all;
  sync::group_lock_state& word = all ? core.all_lock_word() : core.lock_word(holder.value);
  if (sync::try_enter(word, group, all ? sync::capacity::many : sync::capacity::one,
                      core.epochs.world_me)) [[likely]]
    return errc::success;
  return wait_for_word(core, holder, which, group, epoch, locked);
}

[[gnu::always_inline]] inline void leave_word(detail::window_core& core, rank holder,
                                              lock_word which, sync::lock_group group,
                                              std::uint32_t epoch) noexcept {
  if (core.is_remote(holder))
    core.routes.remote->unlock(holder, {.epoch = epoch, .word = which, .group = group});
  else
    sync::leave(which == lock_word::all ? core.all_lock_word() : core.lock_word(holder.value),
                group);
}

// Who has the target's word alone, "; rank 3 holds it", where that can be known.
std::string holder_of(const detail::window_core&, rank target);

// The same as a rank of the job: where it cannot be known, the target's owner on another node, or
// -1.
int holder_of_lock(const detail::window_core&, rank target) noexcept;

// What ORIEL_CHECK=1 has seen done to the rank; null on other nodes, which log their own ranks'
// accesses.
shadow_log_state* log_of(const detail::window_core&, rank) noexcept;

// Post, start and complete, with all of a group: errc::rank where it names a rank twice, or one
// that the team does not have. They throw std::bad_alloc.
errc post_to(detail::window_core&, std::span<const rank> origins);
errc await_posts_of(detail::window_core&, std::span<const rank> targets);
errc complete_at(detail::window_core&, std::span<const rank> targets);

}  // namespace oriel::win
