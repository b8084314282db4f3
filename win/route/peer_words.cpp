#include "win/route/peer_words.hpp"

#include <algorithm>
#include <vector>

#include "win/statistics/noted_wait.hpp"

namespace oriel::win {

using detail::window_core;

errc wait_for_word(window_core& core, rank holder, lock_word which, sync::lock_group group,
                   std::uint32_t epoch, rank locked) noexcept {
  const noted_wait noted(core, wait_cause::lock, locked);
  if (core.is_remote(holder))
    return core.routes.remote->lock(holder, {.epoch = epoch, .word = which, .group = group});
  const bool all = which == lock_word::all;
  sync::group_lock_state& word = all ? core.all_lock_word() : core.lock_word(holder.value);
  return word.enter_slowly(group, all ? sync::capacity::many : sync::capacity::one,
                           core.epochs.world_me, *core.epochs.watch, sync::reentry::waits);
}

std::string holder_of(const window_core& core, rank target) {
  if (core.is_remote(target)) return "; its owner is rank " + std::to_string(target.value);
  const int holder = core.lock_word(target.value).owner();
  const std::span<const int> world = core.group->where().world_ranks();
  const auto at = std::find(world.begin(), world.end(), holder);
  return at == world.end() ? "" : "; rank " + std::to_string(at - world.begin()) + " holds it";
}

int holder_of_lock(const window_core& core, rank target) noexcept {
  return core.is_remote(target) ? core.group->world_rank(target.value)
                                : core.lock_word(target.value).owner();
}

shadow_log_state* log_of(const window_core& core, rank r) noexcept {
  return core.is_remote(r)
             ? nullptr
             : core.shared<shadow_log_state>(core.memory.layout.shadow, core.node_rank(r));
}

namespace {

bool valid_group(const window_core& core, std::span<const rank> group) noexcept {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!core.group->has(group[i])) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (group[i] == group[j]) return false;
  }
  return true;
}

// A group by where its ranks are: places on this node, and ranks of others.
struct divided_group {
  std::vector<rank> on_node, remote;
};
divided_group divide(const window_core& core, std::span<const rank> group) {
  divided_group d;
  for (const rank r : group)
    if (core.is_remote(r))
      d.remote.push_back(r);
    else
      d.on_node.push_back(rank{static_cast<int>(core.node_rank(r))});
  return d;
}

}  // namespace

errc post_to(window_core& core, std::span<const rank> origins) {
  if (core.routes.remote == nullptr) return core.epochs.pscw->post(origins);
  if (!valid_group(core, origins)) return errc::rank;
  const divided_group d = divide(core, origins);
  errc e = core.epochs.pscw->post(d.on_node, static_cast<std::uint32_t>(d.remote.size()));
  for (const rank r : d.remote)
    if (e == errc::success) e = core.routes.remote->post(r);
  return e;
}

errc await_posts_of(window_core& core, std::span<const rank> targets) {
  if (core.routes.remote == nullptr) return core.epochs.pscw->start(targets);
  if (!valid_group(core, targets)) return errc::rank;
  const divided_group d = divide(core, targets);
  const errc e = core.routes.remote->await_posts(d.remote);
  return e == errc::success ? core.epochs.pscw->start(d.on_node) : e;
}

errc complete_at(window_core& core, std::span<const rank> targets) {
  errc e = errc::success;
  for (const rank r : targets)
    if (core.is_remote(r))
      if (const errc told = core.routes.remote->complete(r); e == errc::success) e = told;
  const errc on_node = core.epochs.pscw->complete();
  return e == errc::success ? on_node : e;
}

}  // namespace oriel::win
