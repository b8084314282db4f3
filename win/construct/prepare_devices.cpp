#include "win/construct/prepare_devices.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "session/device_hint.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

kinds::ipc_ticket& ticket_of(window_core& core, int r) {
  return core.shared<kinds::ipc_ticket>(core.memory.layout.ipc)[core.group->node_rank(r)];
}

// The first rank of this node that exposes a device's memory; -1 when none does.
int first_on_device(const detail::team_state& group, const agreement& agreed) {
  const auto& node = group.node_members();
  const auto found = std::find_if(node.begin(), node.end(), [&](int r) {
    return agreed.request(group, r).where == place::device_memory;
  });
  return found == node.end() ? -1 : *found;
}

// What a process exposes may be gone while it gives back its memory, before the kernel tells of its
// end. The construction has failed in any case.
bool lives_on(sessions::job& job, int world_rank) {
  constexpr std::chrono::seconds longest_end{2};
  const auto until = std::chrono::steady_clock::now() + longest_end;
  while (job.look(world_rank)) {
    if (std::chrono::steady_clock::now() > until) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

void prepare_devices(window_core& core, const agreement& agreed, const own_memory& mine,
                     const construction& asked, std::uint64_t node_bytes) {
  const detail::team_state& group = *core.group;
  const int node_rank = group.node_rank(group.me());
  if (mine.pinned() && node_bytes != 0)
    core.devices.pinned = std::make_unique<pinned_memory>(
        *mine.runtime, mine.device, core.node_memory().base() + core.memory.room.segments(),
        node_bytes);
  const int other = first_on_device(group, agreed);
  if (!mine.of_a_device() && other < 0) return;
  kinds::device_runtime* runtime = mine.runtime;
  int device = mine.device;
  if (!mine.of_a_device()) {
    const kinds::vendor whose = agreed.request(group, other).vendor;
    runtime = kinds::runtime(whose);
    if (runtime == nullptr)
      throw error(errc::unsupported_kind, "it cannot reach the memory of rank " +
                                              std::to_string(other) + ": " +
                                              kinds::why_absent(whose));
    device = sessions::device_hint(asked.options->hints, *runtime, node_rank);
  }
  core.devices.memory =
      std::make_unique<device_window>(*runtime, device, group.node_members().size());
  if (!mine.of_a_device()) return;
  if (asked.how == flavor::allocate)
    core.memory.local =
        core.devices.memory->allocate(node_rank, mine.residence, asked.count * core.agreed.extent);
  else if (mine.where == place::device_memory)
    core.devices.memory->adopt(node_rank, core.memory.local);
  if (!mine.openable) return;
  ticket_of(core, group.me()) =
      asked.how == flavor::allocate ? runtime->export_memory(core.memory.local) : mine.ticket;
}

void open_neighbours(window_core& core, const agreement& agreed) {
  const detail::team_state& group = *core.group;
  for (const int r : group.node_members()) {
    const construction_request& q = agreed.request(group, r);
    if (r == group.me() || q.where != place::device_memory || !q.openable) continue;
    try {
      core.devices.memory->open(group.node_rank(r), ticket_of(core, r));
    } catch (const error&) {
      if (lives_on(group.session().job(), group.world_rank(r))) throw;
      throw error(errc::peer_failed, "the device memory of rank " + std::to_string(r) + ", " +
                                         group.fate_in_words(r) + ", cannot be opened");
    }
  }
}

}  // namespace oriel::win
