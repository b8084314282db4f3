#include "win/route/route_table.hpp"

#include <algorithm>

namespace oriel::win {

constinit const route_table::known_peer route_table::itself{{&routes::self, ""}};
constinit const route_table::known_peer route_table::mapped{{&routes::load_store, ""}};

route_choice choose_route(const known_routes& known, assertion_set promised,
                          const peer_facts& facts) noexcept {
  route_choice best;
  int preference = 0;
  for (const route* const r : known.all) {
    const offer o = r->probe(promised, facts);
    if (o.preference <= preference) continue;
    preference = o.preference;
    best = {r, o.because};
  }
  return best;
}

void route_table::add(const known_routes& known, assertion_set promised, const peer_facts& facts) {
  known_peer p{choose_route(known, promised, facts), nullptr, facts.where};
  if (promised.has(assertion::attach) && facts.same_node) {
    peer_facts privately = facts;
    privately.where = place::private_memory;
    p.to_private = choose_route(known, promised.without(assertion::attach), privately).by;
  }
  const auto found = std::find(chosen_.begin(), chosen_.end(), p);
  peers_.push_back(static_cast<std::uint8_t>(found - chosen_.begin()));
  if (found == chosen_.end()) chosen_.push_back(p);
}

}  // namespace oriel::win
