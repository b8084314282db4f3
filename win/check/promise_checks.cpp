#include "win/check/promise_checks.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "win/route/peer_words.hpp"

namespace oriel::win {

using detail::window_core;

namespace {

void report(window_core& core, const std::string& what, call_site at) {
  sessions::findings& found = core.group->session().found();
  found.report("window '" + core.agreed.name + "', rank " + std::to_string(core.me()) + ": " +
                   what + " (" + found.words_of(at) + ") [rma_sync]",
               at);
}

// Calls `work`, whose words may find no memory: then the finding is not told.
template <class Work>
void in_words(Work work) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
}

// Calls `work` with what is promised about the memory of the rank, or of all of this node.
template <class Work>
void with_promises(window_core& core, rank r, Work work) {
  for (const int t : core.group->node_members())
    if (r == any_rank || r.value == t)
      shadow_log(*log_of(core, rank{t}), core.epochs.world_me, core.group->watch())
          .with_promises([&](target_promises& of_rank) { work(rank{t}, of_rank); });
}

// A lock of the rank by another one, with which a lock of this kind conflicts, where either of both
// has not been checked.
const target_promises::lock* conflicting(const target_promises& of_rank, int me, lock_kind kind,
                                         bool nocheck) noexcept {
  for (const target_promises::lock& l : of_rank.locks)
    if (l.holder != 0 && l.holder != me + 1 && (l.nocheck || nocheck) &&
        (l.kind == lock_kind::exclusive || kind == lock_kind::exclusive))
      return &l;
  return nullptr;
}

void check_nostore(window_core& core, sync_mode mode, const char* what, call_site at) {
  const auto stored = core.epochs.promises.take_store();
  if (stored && mode.has(nostore))
    report(core,
           std::string(what) + " asserts nostore, but this rank has stored to its memory at " +
               core.group->session().found().words_of(stored->at) +
               " since the last synchronization",
           at);
}

}  // namespace

void check_fence_mode(window_core& core, sync_mode mode, call_site at) noexcept {
  in_words([&] {
    const auto before = core.epochs.promises.take_operation();
    if (before && mode.has(noprecede))
      report(core,
             std::string("fence asserts noprecede, but a ") + before->what + " at " +
                 core.group->session().found().words_of(before->at) +
                 " precedes it since the last fence",
             at);
    check_nostore(core, mode, "fence", at);
  });
  // All ranks count fences alike, so that nobody takes it for the phase before.
  const std::uint32_t next = core.epochs.fences.load(std::memory_order_relaxed) + 1;
  with_promises(core, rank{core.me()}, [&](rank, target_promises& mine) {
    target_promises::no_put& there = mine.after_fence[next % mine.after_fence.size()];
    there.number = mode.has(noput) ? next : 0;
    keep_site(there.at, at);
  });
}

void check_post_mode(window_core& core, sync_mode mode, call_site at) noexcept {
  in_words([&] { check_nostore(core, mode, "post", at); });
  with_promises(core, rank{core.me()}, [&](rank, target_promises& mine) {
    mine.in_exposure.number = mode.has(noput) ? 1 : 0;
    keep_site(mine.in_exposure.at, at);
  });
}

void end_post_mode(window_core& core) noexcept {
  with_promises(core, rank{core.me()},
                [](rank, target_promises& mine) { mine.in_exposure.number = 0; });
}

void check_start_mode(window_core& core, std::span<const rank> targets, sync_mode mode,
                      call_site at) noexcept {
  if (!mode.has(nocheck) || core.epochs.pscw->accessing()) return;
  in_words([&] {
    for (const rank t : targets)
      if (core.group->has(t) && log_of(core, t) != nullptr &&
          !core.epochs.pscw->has_posted(rank{static_cast<int>(core.node_rank(t))}))
        report(core,
               "start asserts nocheck, but rank " + std::to_string(t.value) + " has not posted",
               at);
  });
}

void check_lock_mode(window_core& core, lock_kind kind, rank r, sync_mode mode,
                     call_site at) noexcept {
  std::optional<target_promises::lock> other;
  rank locked{};
  with_promises(core, r, [&](rank t, const target_promises& of_rank) {
    const auto* const one = conflicting(of_rank, core.me(), kind, mode.has(nocheck));
    if (one == nullptr || other) return;
    other = *one;
    locked = t;
  });
  if (!other) return;
  in_words([&] {
    const std::string what = r == any_rank ? "lock_all" : "lock of rank " + std::to_string(r.value);
    const std::string held = "rank " + std::to_string(other->holder - 1) + " holds rank " +
                             std::to_string(locked.value) + " by the " +
                             (other->kind == lock_kind::exclusive ? "exclusive" : "shared") +
                             " lock at " + words_of(other->at, core.group->session().found());
    report(core,
           mode.has(nocheck) ? what + " asserts nocheck, but " + held
                             : what + " conflicts: " + held + ", which asserts nocheck",
           at);
  });
}

void note_lock(window_core& core, lock_kind kind, rank r, sync_mode mode, call_site at) noexcept {
  with_promises(core, r, [&](rank, target_promises& of_rank) {
    const auto free = std::find_if(of_rank.locks.begin(), of_rank.locks.end(),
                                   [](const auto& l) { return l.holder == 0; });
    if (free == of_rank.locks.end()) return;
    free->kind = kind;
    free->nocheck = mode.has(nocheck);
    free->holder = core.me() + 1;
    keep_site(free->at, at);
  });
}

void forget_lock(window_core& core, rank r) noexcept {
  with_promises(core, r, [&](rank, target_promises& of_rank) {
    for (target_promises::lock& l : of_rank.locks)
      if (l.holder == core.me() + 1) l.holder = 0;
  });
}

void check_promises(window_core& core, rank r, bool writes, const char* what,
                    call_site at) noexcept {
  if (core.epochs.passive.all() || core.epochs.passive.holds(r)) return;
  const std::vector<rank>& started = core.epochs.started;
  const bool by_start = std::find(started.begin(), started.end(), r) != started.end();
  if (!by_start && !core.epochs.fence_open.load(std::memory_order_relaxed)) return;
  if (!by_start) core.epochs.promises.note_operation(what, at);
  if (!writes) return;
  const std::uint32_t fences = core.epochs.fences.load(std::memory_order_relaxed);
  std::optional<kept_site> promised;
  with_promises(core, r, [&](rank, const target_promises& of_rank) {
    const auto& after = of_rank.after_fence[fences % of_rank.after_fence.size()];
    if (by_start && of_rank.in_exposure.number != 0) promised = of_rank.in_exposure.at;
    if (!by_start && after.number != 0 && after.number == fences) promised = after.at;
  });
  if (!promised) return;
  in_words([&] {
    report(core,
           std::string(what) + " to rank " + std::to_string(r.value) + ", whose " +
               (by_start ? "post at " : "fence at ") +
               words_of(*promised, core.group->session().found()) + " asserts noput",
           at);
  });
}

}  // namespace oriel::win
