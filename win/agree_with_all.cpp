#include "win/agree_with_all.hpp"

#include <algorithm>
#include <string>

#include "win/agreement.hpp"
#include "win/request_digest.hpp"

namespace oriel::win {
namespace {

[[noreturn]] void lost_a_peer(detail::team_state& group, const construction_request& mine,
                              errc code) {
  throw error(code, "window '" + std::string(mine.window()) + "': rank " +
                        std::to_string(group.me()) + " cannot construct it: gone are " +
                        group.gone());
}

window_facts facts_if_alike(const detail::team_state& group, const construction_request& mine) {
  window_facts facts;
  facts.how = mine.how;
  facts.ranks = group.size();
  facts.one_node = false;
  facts.neighbours = group.split().nodes.size() < static_cast<std::size_t>(group.size());
  add_to(facts, mine, !facts.neighbours);
  return facts;
}

// False when the ranks did not ask alike, or cannot have what they ask: the same on every rank.
bool agree_by_digest(detail::team_state& group, const construction_request& mine,
                     agreed_requests& agreed) {
  request_digest all = request_digest::of(mine);
  if (const errc e = group.combine(all, request_digest::merge); e != errc::success)
    lost_a_peer(group, mine, e);
  const window_facts facts = facts_if_alike(group, mine);
  const bool refused = std::any_of(all_assertions.begin(), all_assertions.end(), [&](assertion a) {
    return mine.promised().has(a) && !refusal(a, facts).empty();
  });
  // Where ranks differ they may differ about `refused`, but never about this:
  if (!all.uniform(mine.promised()) || refused) return false;
  agreed.uniform = true;
  agreed.requests.resize(group.near().size());
  if (const errc e = group.near_allgather(&mine, sizeof mine, agreed.requests.data());
      e != errc::success)
    lost_a_peer(group, mine, e);
  agreed.plan = plan_window(mine.promised(), facts);
  return true;
}

}  // namespace

agreed_requests agree_with_all(detail::team_state& group, const construction_request& mine) {
  agreed_requests agreed;
  if (!group.all_on_node() && agree_by_digest(group, mine, agreed)) return agreed;
  agreed.requests.resize(static_cast<std::size_t>(group.size()));
  if (const errc e = group.allgather(&mine, sizeof mine, agreed.requests.data());
      e != errc::success)
    lost_a_peer(group, mine, e);
  const std::vector<int>& nodes = group.split().node_of;
  const verdict v = agree(agreed.requests, nodes);
  if (v.code != errc::success) throw error(v.code, v.text);
  agreed.plan = plan_window(mine.promised(), facts_of(agreed.requests, nodes));
  return agreed;
}

}  // namespace oriel::win
