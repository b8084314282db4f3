// Memory of another node that is registered: libfabric's remote reads and writes.
#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"

namespace oriel::win {
namespace {

offer probe_fabric(assertion_set promised, const peer_facts& peer) noexcept {
  const bool registered = peer.where != place::nowhere && peer.where != place::managed_memory &&
                          (peer.where != place::device_memory || peer.registered);
  return !peer.same_node && !promised.has(assertion::attach) && peer.rma && registered
             ? offer{50, "the rank is on another node"}
             : offer{};
}

// What is too long for a message is written with the notification.
errc notify_fabric(window_core& core, const notification& n, call_site where) noexcept {
  remote_window& far = *core.routes.remote;
  const std::size_t bytes = n.n * core.agreed.extent;
  if (bytes <= transport::longest_payload ||
      far.way_of_notices() != transport::notice_way::with_data || !core.agreed.base.contiguous())
    return notify_remote(core, n, where);
  target at;
  if (const errc e = find_target(core, n.to, n.first, n.n, at); e != errc::success) return e;
  const auto done = far.put_noted(n.to, at.address, n.values, bytes, n.with);
  return done ? latched(core, *done, n.to, "put_notify") : notify_remote(core, n, where);
}

}  // namespace

constinit const route routes::fabric =
    refine(remote_route<&remote_window::put, &remote_window::get>("fabric", probe_fabric),
           [](route& r) { r.notify = notify_fabric; });

}  // namespace oriel::win
