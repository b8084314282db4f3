#include "win/parting.hpp"

#include <chrono>
#include <thread>

#include "session/last_out.hpp"
#include "session/limited_watch.hpp"

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
  if (core.how == flavor::create) return std::nullopt;
  return core.group->session().job().silence() + after_silence;
}

errc until_neighbours_have_left(const window_core& core, const boot::peer_watch& watch) noexcept {
  const team_state& group = *core.group;
  const auto alive = [&group](int place) {
    return group.session().job().runs(
        group.world_rank(group.near()[static_cast<std::size_t>(place)]));
  };
  const boot::last_out ranks(core.shared<std::byte>(0), static_cast<int>(group.near().size()));
  const boot::waiting_work work = boot::while_waiting();
  boot::patience_clock clock(watch);
  while (!ranks.all_have_left(alive)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
  const boot::limited_watch watch(group.watch(), at_most(core, met));
  boot::last_out(core.shared<std::byte>(0), static_cast<int>(group.near().size()))
      .leave(group.place(core.me()));
  errc e = core.remote == nullptr ? errc::success : core.remote->revoke(watch);
  if (core.how == flavor::create || core.plan.device)
    if (const errc near = until_neighbours_have_left(core, watch); e == errc::success) e = near;
  return e == errc::success ? afterwards::nobody : afterwards::somebody;
}

}  // namespace oriel::win
