#include "win/construct/plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "session/aggregate_hint.hpp"
#include "transport/fabric.hpp"
#include "win/check/order_places.hpp"
#include "win/route/packet.hpp"
#include "win/route/shared_packets.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

primitive element_of(const datatype& base) {
  const bool one_element =
      base.contiguous() && base.base() != primitive::opaque && base.size() == size_of(base.base());
  return one_element ? base.base() : primitive::opaque;
}

control_needs needs_of(const blueprint& b) {
  detail::team_state& group = b.group();
  control_needs need;
  need.promised = b.asked.promised;
  need.ranks = group.size();
  need.node_ranks = static_cast<int>(group.node_members().size());
  need.remote = b.window().remote;
  need.tickets = need.remote && !transport::fabric_of(group.session().job()).keys_are_agreed();
  need.books = b.books;
  need.agent = b.window().agent;
  need.stripes = b.stripes;
  need.gates = b.gates;
  need.checked = group.session().check();
  if (need.checked)
    need.order_bytes = order_bytes(static_cast<std::size_t>(need.node_ranks),
                                   sessions::vector_clock::width_for(group.session().job().size()));
  need.notify_counters = b.notify_counters;
  need.shared_packets = shared_packets::bytes(group.where().nodes(), b.shared_packet_bytes);
  return need;
}

// Where this rank gathers operations, and any process of another node performs them.
std::size_t shared_packet_bytes(const blueprint& b, bool gathers) {
  constexpr assertion_set own_way = assertion::ordered_accumulate | assertion::ordered_replace |
                                    assertion::ordered_notify | assertion::attach;
  const bool shares = gathers && b.window().remote_agent && !b.window().device &&
                      !b.asked.promised.has_any(own_way) &&
                      b.group().node_members().size() <= shared_packets::most_ranks;
  return shares ? shared_packets::packet_bytes_for(b.group().where().nodes(),
                                                   sessions::aggregate_bytes(), packet_bytes)
                : 0;
}

// Whether two ranks of this node expose one location, so that what is done to one of them is done
// to the other.
bool any_overlap(const blueprint& b) {
  if (b.asked.how != flavor::create) return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> segments;
  for (const int r : b.group().node_members()) {
    const construction_request& q = b.request(r);
    if (q.where == place::node_memory && q.count != 0)
      segments.emplace_back(q.offset, q.offset + q.count * q.extent);
  }
  std::sort(segments.begin(), segments.end());
  for (std::size_t i = 1; i < segments.size(); ++i)
    if (segments[i].first < segments[i - 1].second) return true;
  return false;
}

}  // namespace

blueprint plan(const team& members, const construction& asked, const question& own,
               const agreement& agreed, std::uint64_t id) {
  blueprint b{members, asked, own.mine, agreed, id};
  const assertion_set promised = asked.promised;
  b.element = element_of(asked.base);
  b.notify_counters = promised.has(assertion::notify) ? asked.options->notify_counters : 0;
  b.books = promised.has(assertion::attach) || b.window().agent;
  b.stripes = b.element == primitive::opaque || b.request(0).extent > 8 ||
              promised.has(assertion::user_datatype) || asked.how == flavor::create;
  b.devices = std::any_of(
      agreed.requests.begin(), agreed.requests.end(), [](const construction_request& r) {
        return r.pinned || r.where == place::device_memory || r.where == place::managed_memory;
      });
  // What kernels do on the memory passes no gate, and there is one a rank.
  b.gates = detail::may_be_long(promised) && !b.devices &&
            std::all_of(agreed.requests.begin(), agreed.requests.end(),
                        [](const construction_request& r) { return r.process_barriers; }) &&
            !any_overlap(b);
  sessions::attempt(b.laid_out, [&] {
    b.shared_packet_bytes = shared_packet_bytes(b, own.core->agreed.aggregate);
  });
  b.layout = lay_out(needs_of(b));
  // Where devices reach notification counters, whole pages are registered.
  b.block_bytes = b.devices ? round_up(b.layout.bytes, page) : b.layout.bytes;
  if (asked.how == flavor::allocate)
    sessions::attempt(b.laid_out, [&b] { b.segments = lay_out_segments(b.agreed, b.group()); });
  return b;
}

}  // namespace oriel::win
