#include "win/check/same_memory.hpp"

#include <algorithm>

#include "win/check/order_places.hpp"
#include "win/route/peer_words.hpp"
#include "win/route/route.hpp"

namespace oriel::win {

using detail::window_core;

std::optional<same_memory::place> same_memory::find(const window_core& core, rank owner,
                                                    std::uint64_t low,
                                                    std::uint64_t high) noexcept {
  const std::uint64_t extent = core.agreed.extent;
  const std::uint64_t first = low / extent, end = (high + extent - 1) / extent;
  target found;
  if (!core.routes.to(owner).find(core, owner, disp{first}, end - first, found))
    return std::nullopt;
  if (found.in_device_memory || found.device != nullptr) return std::nullopt;
  const std::uint64_t within = low - first * extent, bytes = high - low;
  if (found.mapped == nullptr)
    return place{core.group->world_rank(owner.value), found.address + within,
                 found.address + within + bytes};
  if (const auto offset = core.node_memory().offset_of(found.mapped + within, bytes))
    return place{place::of_node, *offset, *offset + bytes};
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(found.mapped) + within;
  return place{core.group->world_rank(owner.value), address, address + bytes};
}

std::vector<same_memory::segment> same_memory::attached(window_core& core, rank owner) {
  std::vector<segment> all;
  for (const segment_record& one : core.book(owner).all()) {
    const std::uint64_t low = one.first * core.agreed.extent;
    if (const auto at = find(core, owner, low, low + one.count * core.agreed.extent))
      all.push_back({*at, low, &core, owner});
  }
  return all;
}

void same_memory::add(window_core& core) {
  const std::lock_guard hold(mutex_);
  if (core.agreed.promised.has(assertion::attach)) return attaching_.push_back(&core);
  for (const int r : core.group->node_members()) {
    const std::uint64_t count = core.shared_entry(rank{r}).count;
    if (count == 0) continue;
    if (const auto at = find(core, rank{r}, 0, count * core.agreed.extent))
      segments_.push_back({*at, 0, &core, rank{r}});
  }
}

void same_memory::remove(const window_core& core) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase_if(segments_, [&](const segment& s) { return s.window == &core; });
  std::erase(attaching_, &core);
}

std::optional<std::string> same_memory::conflict(const window_core& core, rank owner,
                                                 const shadow_access& made) {
  const std::lock_guard hold(mutex_);
  const auto others = [&](const window_core* w) { return w != &core; };
  if (std::none_of(segments_.begin(), segments_.end(),
                   [&](const segment& s) { return others(s.window); }) &&
      std::none_of(attaching_.begin(), attaching_.end(), others))
    return std::nullopt;
  const auto at = find(core, owner, made.low, made.high);
  if (!at) return std::nullopt;
  const auto compare = [&](const segment& s) -> std::optional<std::string> {
    const std::uint64_t low = std::max(at->low, s.at.low), high = std::min(at->high, s.at.high);
    if (s.window == &core || s.at.space != at->space || low >= high) return std::nullopt;
    shadow_access there = made;
    there.low = s.first + (low - s.at.low);
    there.high = s.first + (high - s.at.low);
    shadow_log log(*log_of(*s.window, s.owner), core.epochs.world_me, s.window->group->watch());
    const auto other = log.find(there, order_of(*s.window));
    if (!other) return std::nullopt;
    return "overlaps " + describe(*other, core.group->session().found()) +
           " to the same memory, by window '" + s.window->agreed.name +
           "', and nothing orders them";
  };
  for (const segment& s : segments_)
    if (auto found = compare(s)) return found;
  for (window_core* const w : attaching_)
    if (w != &core)
      for (const int r : w->group->node_members())
        for (const segment& s : attached(*w, rank{r}))
          if (auto found = compare(s)) return found;
  return std::nullopt;
}

}  // namespace oriel::win
