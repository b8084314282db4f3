#include "tools/info/held_locks.hpp"

namespace oriel::tools {

void held_locks::add(const sessions::observed_node& node, const win::statistics_page& page) {
  const auto at = [&](int i) {
    return node.at<word>(page.locks + static_cast<std::uint64_t>(i) * sizeof(word));
  };
  if (page.locks == 0 || page.locks_here <= 0 || page.locks_here > node.members()) return;
  if (page.own_lock < 0 || page.own_lock >= page.locks_here) return;
  if (const word* const own = at(page.own_lock)) by_rank_[{page.window, page.world_rank}] = own;
  for (int i = 0; i < page.locks_here; ++i)
    if (const word* const one = at(i)) by_window_[page.window].push_back(one);
}

void held_locks::look_at(watched_wait& w, bool seen) const {
  if (!w.collective.empty() || w.cause != wait_cause::lock) return;
  if (w.target < 0) {  // a lock on all ranks: whoever has one alone excludes it
    if (const auto all = by_window_.find(w.window_id); all != by_window_.end())
      for (const word* const one : all->second)
        if (const int owner = one->owner(); owner >= 0) w.awaited = owner;
    return;
  }
  if (const auto its = by_rank_.find({w.window_id, w.target}); its != by_rank_.end()) {
    w.awaited = its->second->owner();
    if (w.awaited < 0) w.sharers = its->second->sharers();
  } else if (seen && w.awaited == w.target) {
    w.awaited = -1;
  }
}

}  // namespace oriel::tools
