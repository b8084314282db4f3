#include "win/construct/parting.hpp"

#include <chrono>

#include "sync/last_out.hpp"
#include "sync/limited_watch.hpp"
#include "sync/system.hpp"

namespace oriel::win {
namespace {

using detail::team_state;
using detail::window_core;

// Oriel's own memory can stay, and then costs no more than its room. A rank that has been cut off
// answers nothing, and is known to be gone so long after that.
constexpr std::chrono::seconds after_silence{3};
// Ranks that have called other collectives may come to free the window yet, or may each wait for
// the other to free another one first.
constexpr std::chrono::seconds after_mismatch{1};

std::optional<std::chrono::milliseconds> at_most(const window_core& core, errc met) noexcept {
  if (met == errc::mismatched_collective) return after_mismatch;
  if (core.agreed.how == flavor::create) return std::nullopt;
  return core.group->session().job().silence() + after_silence;
}

errc until_neighbours_have_left(const window_core& core, const sync::peer_watch& watch) noexcept {
  const team_state& group = *core.group;
  const auto alive = [&group](int node_rank) {
    return group.session().job().runs(
        group.world_rank(group.node_members()[static_cast<std::size_t>(node_rank)]));
  };
  const sync::last_out ranks(core.shared<std::byte>(0),
                             static_cast<int>(group.node_members().size()));
  const sync::waiting_work work = sync::while_waiting();
  sync::patience_clock clock(watch);
  while (!ranks.all_have_left(alive)) {
    sync::sleep_for(std::chrono::milliseconds(1));
    if (watch.needs_progress()) watch.progress();
    if (work != nullptr) work();
    if (!clock.due()) continue;
    if (const errc e = clock.look(false); e != errc::success) return e;
  }
  return errc::success;
}

}  // namespace

afterwards part_from_survivors(window_core& core, errc met) noexcept {
  const team_state& group = *core.group;
  const sync::limited_watch watch(group.watch(), at_most(core, met));
  if (core.routes.remote != nullptr) core.routes.remote->stop_performing();
  sync::last_out(core.shared<std::byte>(0), static_cast<int>(group.node_members().size()))
      .leave(group.node_rank(core.me()));
  errc e = core.routes.remote == nullptr ? errc::success : core.routes.remote->revoke(watch);
  if (core.agreed.how == flavor::create || core.agreed.plan.device)
    if (const errc on_node = until_neighbours_have_left(core, watch); e == errc::success)
      e = on_node;
  return e == errc::success ? afterwards::no_rank : afterwards::some_rank;
}

}  // namespace oriel::win
