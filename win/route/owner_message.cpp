// Memory of another node that the fabric does not reach: the owner's process copies, by messages.
#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"

namespace oriel::win {
namespace {

offer probe_owner_message(assertion_set promised, const peer_facts& peer) noexcept {
  if (peer.same_node) return {};
  if (promised.has(assertion::attach))
    return {10, "assertion::attach: the fabric cannot tell when a remote write has arrived"};
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

constexpr auto by_messages =
    remote_route<&remote_window::put_by_owner, &remote_window::get_by_owner>;

}  // namespace

constinit const route routes::owner_message = by_messages("owner_message", probe_owner_message);
constinit const route routes::nowhere = by_messages("none", probe_nowhere);

}  // namespace oriel::win
