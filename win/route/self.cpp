// This process's own memory, but for what it attaches: the host's here, a device's in ipc.cpp.
#include "win/route/known_routes.hpp"
#include "win/route/mapped.hpp"

namespace oriel::win {
namespace {

offer probe(assertion_set promised, const peer_facts& peer) noexcept {
  const bool host = peer.where != place::device_memory;
  return shares_node(promised, peer) && peer.same_process && host ? offer{100, ""} : offer{};
}

}  // namespace

constinit const route routes::self{
    .name = "self",
    .probe = probe,
    .find = find_mapped,
    .put = put_mapped,
    .get = get_mapped,
    .accumulate = accumulate_mapped,
    .compare_swap = swap_mapped,
    .notify = notify_on_node,
    .refuse_notify = refuse_notify_on_node,
    .flush = nothing_to_flush,
    .query = query_own,
    .segments = segments_on_node,
};

}  // namespace oriel::win
