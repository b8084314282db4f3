#include "win/route/route_table.hpp"

#include <algorithm>

namespace oriel::win {
namespace {

constexpr route_choice to_itself{&routes::self, ""}, to_others{&routes::load_store, ""};

}  // namespace

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
  peer p{index_of(choose_route(known, promised, facts)), 0, facts.where};
  if (promised.has(assertion::attach) && facts.same_node) {
    peer_facts privately = facts;
    privately.where = place::private_memory;
    p.to_private = index_of(choose_route(known, promised.without(assertion::attach), privately));
  }
  peers_.push_back(p);
}

std::uint8_t route_table::index_of(const route_choice& c) {
  const auto found = std::find_if(chosen_.begin(), chosen_.end(), [&c](const route_choice& other) {
    return other.by == c.by && other.because == c.because;
  });
  const auto index = static_cast<std::uint8_t>(found - chosen_.begin());
  if (found == chosen_.end()) chosen_.push_back(c);
  return index;
}

const route_choice& route_table::choice(rank r) const noexcept {
  if (peers_.empty()) return r.value == me_ ? to_itself : to_others;
  return chosen_[peers_[static_cast<std::size_t>(r.value)].by];
}

}  // namespace oriel::win
