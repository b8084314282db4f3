#include "win/construct/probe_peers.hpp"

#include <array>
#include <atomic>

#include "transport/cma.hpp"
#include "win/construct/left_out.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

// What the rank exposes, or may attach later, only it may be able to map.
bool may_be_private(const window_core& core, const construction_request& asked) {
  return asked.where == place::private_memory || core.agreed.promised.has(assertion::attach);
}

// The kernel's answer holds for the process, and windows are made again and again between the same
// ones.
bool kernel_copies(pid_t process, std::uint64_t address) noexcept {
  static constinit std::array<std::atomic<pid_t>, 256> allowed;
  auto& known = allowed[static_cast<std::size_t>(process) % allowed.size()];
  if (known.load(std::memory_order_relaxed) == process) return true;
  if (!transport::cma_allowed(process, address)) return false;
  known.store(process, std::memory_order_relaxed);
  return true;
}

peer_facts facts_of(const window_core& core, rank r, const construction_request& asked,
                    bool without_cma) {
  const detail::team_state& group = *core.group;
  peer_facts f;
  f.same_process = r.value == core.me();
  f.same_node = !core.is_remote(r);
  f.where = asked.where;
  f.cma = !without_cma && !f.same_process && f.same_node && may_be_private(core, asked) &&
          kernel_copies(group.session().job().pid_of(group.world_rank(r.value)), asked.address);
  f.rma = f.same_node || core.routes.remote->way().how() != transport::completion::acknowledged;
  f.ipc = core.on_device(r) != nullptr;
  f.linked = !f.ipc || core.devices.memory->why_unlinked(core.node_rank(r)).empty();
  f.openable = asked.openable;
  f.registered = core.agreed.plan.registered;
  return f;
}

// Memory that others cannot map is in no table but one's own.
void write_own_entries(window_core& core, const own_memory& mine) {
  for (int r = 0; r < core.ranks(); ++r) {
    detail::segment_entry seen = core.shared_entry(rank{r});
    if (r == core.me() && mine.where != place::device_memory)
      seen.offset = core.memory.local - core.node_memory().base();
    core.memory.own_entries.push_back(seen);
  }
}

}  // namespace

void probe_peers(window_core& core, const agreement& agreed, const own_memory& mine) {
  if (!core.agreed.plan.all_mapped) {
    const auto& known = core.group->session().extension<known_routes>();
    const bool without_cma = read_left_out().cma;
    core.routes.far_refused = without_cma;
    for (int r = 0; r < core.ranks(); ++r)
      core.routes.add(known, core.agreed.promised,
                      facts_of(core, rank{r}, agreed.request(*core.group, r), without_cma));
  }
  const bool own_alone = mine.where == place::managed_memory || mine.where == place::private_memory;
  if ((core.agreed.plan.agent || own_alone) && !core.agreed.promised.has(assertion::attach))
    write_own_entries(core, mine);
}

}  // namespace oriel::win
