// This process's own memory, but for what it attaches: the host's here, a device's in ipc.cpp.
#include "win/route/known_routes.hpp"
#include "win/route/mapped.hpp"

namespace oriel::win {
namespace {

offer probe_self(assertion_set promised, const peer_facts& peer) noexcept {
  const bool host = peer.where != place::device_memory;
  return shares_node(promised, peer) && peer.same_process && host ? offer{100, ""} : offer{};
}

}  // namespace

constinit const route routes::self = refine(mapped_route, [](route& r) {
  r.name = "self";
  r.probe = probe_self;
  r.query = query_own;
});

}  // namespace oriel::win
