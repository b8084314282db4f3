#include "win/dismantle.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "session/departure.hpp"
#include "transport/agent.hpp"

namespace oriel::win {

using detail::team_state;
using detail::window_core;

void depart(window_core& core) noexcept {
  if (core.far != nullptr) core.far->close();
  if (core.plan.agent) core.group->session().extension<transport::agent>().remove(&core);
  core.own_book.reset();
  boot::node_memory& memory = core.node_memory();
  const std::uint64_t block = core.block;
  const std::uint64_t data = core.memory;
  const team_state& group = *core.group;
  const bool last =
      boot::departure(core.shared<std::byte>(0), static_cast<int>(group.near().size()))
          .depart(group.place(core.me()), [&group](int place) {
            const int r = group.near()[static_cast<std::size_t>(place)];
            return group.session().job().alive(group.world_rank(r));
          });
  if (!last) return;
  memory.release(block);
  if (data != 0) memory.release(data);
}

namespace {

constexpr std::chrono::seconds patience{3};
constexpr std::int32_t closed = -1;

// Nobody opens anything any more, so a rank's ticket may tell that it has closed what it opened.
std::atomic_ref<std::int32_t> mark_of(const window_core& core, std::size_t place) noexcept {
  return std::atomic_ref(core.shared<kinds::ipc_ticket>(core.layout.ipc)[place].process);
}

// A barrier does not bring the living together when a rank of the team has died; those of this node
// may still have this rank's memory open, until they free the window too. They are given some time.
void wait_until_closed(const window_core& core) noexcept {
  const team_state& group = *core.group;
  const auto until = std::chrono::steady_clock::now() + patience;
  for (std::size_t place = 0; place < group.near().size(); ++place)
    while (mark_of(core, place).load(std::memory_order_acquire) != closed &&
           group.session().job().alive(group.world_rank(group.near()[place])) &&
           std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void close_devices(window_core& core) noexcept {
  if (core.device != nullptr) core.device->close();
  mark_of(core, static_cast<std::size_t>(core.group->place(core.me())))
      .store(closed, std::memory_order_release);
}

}  // namespace

void part_from_devices_of_the_dead(window_core& core) noexcept {
  close_devices(core);
  if (core.device != nullptr) wait_until_closed(core);
}

status dismantle(std::unique_ptr<window_core> core) noexcept {
  errc result = core->first_error();
  // Memory of the caller's may be freed on return, so nobody may be accessing it. Memory of oriel's
  // lives until the last rank has departed, so nobody on the node needs to wait; but other nodes
  // reach it through this process, and so do all where an agent serves or memory is a device's.
  if (core->far != nullptr)
    if (const errc e = core->far->flush_all(); result == errc::success) result = e;
  const auto meet = [&] {
    const errc e = core->group->barrier();
    if (result == errc::success) result = e;
    return e;
  };
  core->kernels.reset();
  if (core->device != nullptr)
    if (const errc e = core->device->drain(); result == errc::success) result = e;
  const bool served = core->far != nullptr || core->plan.agent || core->plan.device;
  if ((core->how == flavor::create && core->ranks() > 1) || served) meet();
  // Owners free memory of devices after all have closed it.
  if (core->plan.device) {
    close_devices(*core);
    if (meet() != errc::success) wait_until_closed(*core);
  }
  core->pinned.reset();
  depart(*core);
  return result;
}

}  // namespace oriel::win
