// Device memory that is open here, a peer's or this process's own: its runtime copies, and its
// kernels do the atomics. Where those would not be atomic with others, the owner's agent does them.
#include "win/route/known_routes.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

bool is_open(assertion_set promised, const peer_facts& peer) noexcept {
  const bool open = peer.where == place::device_memory && peer.ipc && !peer.same_process;
  return shares_node(promised, peer) && open;
}

offer probe_ipc(assertion_set promised, const peer_facts& peer) noexcept {
  return is_open(promised, peer) && peer.linked ? offer{80, ""} : offer{};
}

offer probe_unlinked(assertion_set promised, const peer_facts& peer) noexcept {
  return is_open(promised, peer) && !peer.linked
             ? offer{80, "atomics go to the owner: none over the devices' link"}
             : offer{};
}

offer probe_own(assertion_set promised, const peer_facts& peer) noexcept {
  const bool own = peer.where == place::device_memory && peer.same_process;
  return shares_node(promised, peer) && own ? offer{100, ""} : offer{};
}

bool find_ipc(const window_core& core, rank r, disp i, std::uint64_t, target& found) noexcept {
  found.device = core.on_device(r) + i.value * core.agreed.extent;
  found.in_device_memory = true;
  return true;
}

errc by_device(window_core& core, const target& at, errc e, const char* what) noexcept {
  if (e == errc::success) return e;
  std::string text =
      std::string(what) + " with the device memory of rank " + std::to_string(at.owner.value);
  if (e == errc::timed_out)
    text +=
        " was not done: this rank's device had no room for the kernel that does it within "
        "ORIEL_TIMEOUT; " +
        std::string(device_window::leave_room);
  else
    text += " failed: " + core.devices.memory->runtime().last_failure();
  return core.fail(e, text);
}

errc apply(window_core& core, const target& at, const kinds::atomic_task& task,
           const char* what) noexcept {
  return by_device(core, at, core.devices.memory->apply(task, core.group->watch().patience()),
                   what);
}

errc put_ipc(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
             std::size_t bytes, tracker*) noexcept {
  return by_device(core, at, core.devices.memory->copy(at.device + offset, from, bytes), "put");
}

errc get_ipc(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
             std::size_t bytes, tracker*) noexcept {
  return by_device(core, at, core.devices.memory->copy(to, at.device + offset, bytes), "get");
}

errc accumulate_ipc(window_core& core, const target& at, std::ptrdiff_t offset,
                    const accumulation& a, tracker*) noexcept {
  kinds::atomic_task task;
  task.op = a.op;
  task.type = a.type;
  task.width = static_cast<std::uint8_t>(size_of(a.type));
  task.n = a.n;
  task.location = at.device + offset;
  task.operands = a.op == atomic_op::no_op ? nullptr : a.operands;
  task.results = a.results;
  return apply(core, at, task, "accumulate");
}

errc compare_swap_ipc(window_core& core, const target& at, const swap& s) noexcept {
  const swap_operands both(s);
  kinds::atomic_task task;
  task.action = kinds::atomic_action::compare_swap;
  task.width = static_cast<std::uint8_t>(s.bytes);
  task.n = 1;
  task.location = at.device;
  task.operands = both.data();
  task.results = s.result;
  return apply(core, at, task, "compare_swap");
}

// The same elements as their owner addresses them.
target at_owner(const window_core& core, const target& at) noexcept {
  target there = at;
  find_in_book(core, at.owner, disp{0}, core.shared_entry(at.owner).count, there);
  there.address += static_cast<std::uint64_t>(at.device - core.on_device(at.owner));
  return there;
}

errc accumulate_unlinked(window_core& core, const target& at, std::ptrdiff_t offset,
                         const accumulation& a, tracker* also) noexcept {
  return accumulate_by_mail(core, at_owner(core, at), offset, a, also);
}

errc compare_swap_unlinked(window_core& core, const target& at, const swap& s) noexcept {
  return swap_by_mail(core, at_owner(core, at), s);
}

errc flush_ipc(window_core& core, rank r) noexcept {
  return latched(core, core.devices.memory->drain(), r, "a device's copy");
}

shared_segment<std::byte> query_ipc(const window_core& core, rank r) noexcept {
  return {r, core.on_device(r), core.shared_entry(r).count};
}

constexpr route device_route = refine(on_node_route, [](route& r) {
  r.find = find_ipc;
  r.put = put_ipc;
  r.get = get_ipc;
  r.accumulate = accumulate_ipc;
  r.compare_swap = compare_swap_ipc;
  r.flush = flush_ipc;
  r.query = query_ipc;
  r.reaches_devices = true;
});

}  // namespace

constinit const route routes::ipc = refine(device_route, [](route& r) {
  r.name = "ipc";
  r.probe = probe_ipc;
});
constinit const route routes::ipc_unlinked = refine(device_route, [](route& r) {
  r.name = "ipc";
  r.probe = probe_unlinked;
  r.accumulate = accumulate_unlinked;
  r.compare_swap = compare_swap_unlinked;
});
constinit const route routes::own_device = refine(device_route, [](route& r) {
  r.name = "self";
  r.probe = probe_own;
  r.query = query_own;
});

}  // namespace oriel::win
