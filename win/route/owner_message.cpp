// Memory of another node that the fabric does not reach: the owner's process copies, by messages.
#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"
#include "win/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

offer probe(assertion_set promised, const peer_facts& peer) noexcept {
  if (peer.same_node) return {};
  if (promised.has(assertion::attach))
    return {10, "assertion::attach: only the owner, on another node, knows its segments"};
  if (peer.where == place::nowhere) return {};
  if (!peer.rma) return {10, "the fabric cannot tell when a remote write has arrived"};
  if (peer.where == place::managed_memory)
    return {10, "managed memory moves: its owner's process copies"};
  return {10,
          "the fabric does not register device memory: its owner copies, through pinned memory of "
          "the host"};
}

// A rank that exposes no memory, so that every access is out of its range. What needs none, a
// notification say, goes by messages.
offer probe_nowhere(assertion_set, const peer_facts&) noexcept {
  return {1, "it exposes no memory"};
}

errc put(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
         std::size_t bytes, tracker* also) noexcept {
  const errc e = core.remote->put_by_owner(
      at.owner, at.address + static_cast<std::uint64_t>(offset), from, bytes, also);
  return e == errc::success ? e : fail_with(core, e, at.owner, "put");
}

errc get(window_core& core, const target& at, std::ptrdiff_t offset, void* to, std::size_t bytes,
         tracker* also) noexcept {
  const errc e = core.remote->get_by_owner(
      at.owner, at.address + static_cast<std::uint64_t>(offset), to, bytes, also);
  return e == errc::success ? e : fail_with(core, e, at.owner, "get");
}

}  // namespace

constinit const route routes::owner_message = [] {
  route r = remote_route;
  r.name = "owner_message";
  r.probe = probe;
  r.put = put;
  r.get = get;
  return r;
}();

constinit const route routes::nowhere = [] {
  route r = remote_route;
  r.name = "none";
  r.probe = probe_nowhere;
  r.put = put;
  r.get = get;
  return r;
}();

}  // namespace oriel::win
