#include "win/statistics/noted_wait.hpp"

#include <algorithm>
#include <vector>

#include "win/route/peer_words.hpp"
#include "win/statistics/count.hpp"
#include "win/trace/probe.hpp"

namespace oriel::win {

using detail::team_state;
using detail::window_core;

namespace {

// The first that has not come to the fence, as far as this rank sees.
int rank_behind_fence(const window_core& core) noexcept {
  const team_state& group = *core.group;
  if (const int node_rank = core.epochs.barrier->absent(); node_rank >= 0)
    return group.world_rank(group.node_members()[static_cast<std::size_t>(node_rank)]);
  if (!core.epochs.between) return -1;
  return group.world_rank(group.where().ranks_on(core.epochs.between->awaited()).front());
}

int rank_behind_start(const window_core& core) noexcept {
  const team_state& group = *core.group;
  if (core.routes.remote != nullptr)
    if (const rank r = core.routes.remote->awaited_post(); group.has(r))
      return group.world_rank(r.value);
  const int node_rank = core.epochs.pscw->awaited();
  if (node_rank < 0) return -1;
  return group.world_rank(group.node_members()[static_cast<std::size_t>(node_rank)]);
}

int awaited_by(const window_core& core, wait_cause cause, rank target) noexcept {
  if (cause == wait_cause::wait) target = core.epochs.only_origin;
  const int of_target = core.group->has(target) ? core.group->world_rank(target.value) : -1;
  switch (cause) {
    case wait_cause::fence:
      return rank_behind_fence(core);
    case wait_cause::start:
      return rank_behind_start(core);
    case wait_cause::lock:
      return of_target < 0 ? -1 : holder_of_lock(core, target);
    default:
      return of_target;
  }
}

tallies* mine_of(window_core& core) noexcept {
  tallies* const mine = core.counts.mine();
  return mine != nullptr ? mine : core.counts.make_mine(core);
}

}  // namespace

void show_wait(window_core& core, wait_cause cause, rank target,
               sync::clock::time_point began) noexcept {
  ORIEL_PROBE3(asleep, core.agreed.id, cause, target.value);
  tallies* const mine = mine_of(core);
  if (mine == nullptr) return;
  present_wait& now = mine->now;
  now.awaited.store(awaited_by(core, cause, target), std::memory_order_relaxed);
  if (now.cause.load(std::memory_order_relaxed) != 0) return;
  now.target.store(core.group->has(target) ? core.group->world_rank(target.value) : -1,
                   std::memory_order_relaxed);
  now.since.store(
      std::chrono::duration_cast<std::chrono::nanoseconds>(began.time_since_epoch()).count(),
      std::memory_order_relaxed);
  now.cause.store(static_cast<std::uint32_t>(cause) + 1, std::memory_order_release);
}

void count_wait(window_core& core, wait_cause cause, std::chrono::nanoseconds took) noexcept {
  ORIEL_PROBE3(waited, core.agreed.id, cause, took.count());
  tallies* const mine = mine_of(core);
  if (mine == nullptr) return;
  tallies::waited& w = mine->waits[static_cast<std::size_t>(cause)];
  w.times.add(1);
  w.nanoseconds.add(static_cast<std::uint64_t>(took.count()));
  if (mine->now.cause.load(std::memory_order_relaxed) != 0)
    mine->now.cause.store(0, std::memory_order_relaxed);
}

void count_message(window_core& core) noexcept {
  if (tallies* const mine = mine_of(core)) mine->messages.add(1);
}

void count_retry(window_core& core) noexcept {
  if (tallies* const mine = mine_of(core)) mine->retries.add(1);
}

}  // namespace oriel::win
