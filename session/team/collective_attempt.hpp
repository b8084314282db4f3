// Steps of a collective that may fail on any rank, and then fail on all of them: what a rank's part
// throws is kept until the ranks have met.
#pragma once

#include <string>

#include "session/outcome.hpp"
#include "session/team/team_state.hpp"

namespace oriel::sessions {

// The ranks of the team meet: O(log nodes) messages of constant size. `all`, this rank's outcome
// before, is then the same on every rank: success, or the failure of the lowest rank that has one.
// Returns what the meeting has come to, as a collective does; where that is no success, ranks may
// differ.
inline errc settle(detail::team_state& team, const collective_call& call, outcome& all) noexcept {
  all.rank = team.me();
  return team.combine(call, all, outcome::merge);
}

// What the first rank of a node makes for the others.
template <class Made>
struct led {
  outcome how;
  Made made;
};

// The ranks of this node meet: all of them get what the first one has, and how it has ended there.
template <class Made>
errc share_with_node(detail::team_state& team, const collective_call& call, led<Made>& result) {
  result.how.rank = team.node_members().front();
  return team.node_broadcast(call, &result, sizeof result, 0);
}

// Throws the failure of a step, after `what` the step was for.
[[noreturn]] inline void fail_alike(const std::string& what, const outcome& all) {
  throw error(all.code,
              what + ": rank " + std::to_string(all.rank) + ": " + std::string(all.reason()));
}

}  // namespace oriel::sessions
