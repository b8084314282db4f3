// Memory of another node that is registered: libfabric's remote reads and writes.
#include "transport/fabric.hpp"

#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"
#include "win/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

offer probe(assertion_set promised, const peer_facts& peer) noexcept {
  const bool registered = peer.where != place::nowhere && peer.where != place::managed_memory &&
                          (peer.where != place::device_memory || peer.registered);
  return !peer.same_node && !promised.has(assertion::attach) && peer.rma && registered
             ? offer{50, "the rank is on another node"}
             : offer{};
}

errc put(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
         std::size_t bytes, tracker* also) noexcept {
  const errc e = core.remote->put(at.owner, at.address + static_cast<std::uint64_t>(offset), from,
                                  bytes, also);
  return e == errc::success ? e : fail_with(core, e, at.owner, "put");
}

errc get(window_core& core, const target& at, std::ptrdiff_t offset, void* to, std::size_t bytes,
         tracker* also) noexcept {
  const errc e =
      core.remote->get(at.owner, at.address + static_cast<std::uint64_t>(offset), to, bytes, also);
  return e == errc::success ? e : fail_with(core, e, at.owner, "get");
}

}  // namespace

constinit const route routes::fabric = [] {
  route r = remote_route;
  r.name = "fabric";
  r.probe = probe;
  r.put = put;
  r.get = get;
  return r;
}();

}  // namespace oriel::win
