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

}  // namespace

constinit const route routes::fabric =
    remote_route<&remote_window::put, &remote_window::get>("fabric", probe_fabric);

}  // namespace oriel::win
