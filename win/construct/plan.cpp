#include "win/construct/plan.hpp"

#include <algorithm>

#include "transport/fabric.hpp"

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
  need.device = b.window().device;
  need.notify_counters = b.notify_counters;
  return need;
}

}  // namespace

blueprint plan(const team& members, const construction& asked, const own_memory& mine,
               const agreement& agreed, std::uint64_t id) {
  blueprint b{members, asked, mine, agreed, id};
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
  // What kernels do on the memory passes no gate.
  b.gates = detail::may_be_long(promised) && !b.devices &&
            std::all_of(agreed.requests.begin(), agreed.requests.end(),
                        [](const construction_request& r) { return r.process_barriers; });
  b.layout = lay_out(needs_of(b));
  // Where devices reach notification counters, whole pages are registered.
  b.block_bytes = b.devices ? round_up(b.layout.bytes, page) : b.layout.bytes;
  if (asked.how == flavor::allocate)
    sessions::attempt(b.laid_out, [&b] { b.segments = lay_out_segments(b.agreed, b.group()); });
  return b;
}

}  // namespace oriel::win
