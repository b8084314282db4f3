// The second stage of a construction: all gather the requests and abilities of every rank, and come
// to the same verdict.
#pragma once

#include <string_view>
#include <vector>

#include "session/team/team_state.hpp"
#include "win/construct/request.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::win {

struct agreement {
  window_facts facts;
  window_plan plan;
  bool uniform = false;                        // `requests` holds those of this node only
  std::vector<construction_request> requests;  // by rank, or by node rank

  // Where all requests are alike, that of a rank of this node stands for those of others.
  [[nodiscard]] const construction_request& request(const detail::team_state& group, int r) const {
    if (!uniform) return requests[static_cast<std::size_t>(r)];
    return requests[group.on_node(r) ? static_cast<std::size_t>(group.node_rank(r)) : 0];
  }
};

// Collective. On one node every rank reads every rank's request. Between nodes a digest of constant
// size goes first, and suffices when all requests are alike and none is refused. Throws the same
// error on every rank.
agreement agree(detail::team_state&, construction_request mine);
// Throws `code`, with which a collective of the construction of `window` has failed, and why.
[[noreturn]] void cannot_construct(const detail::team_state&, std::string_view window, errc code);

}  // namespace oriel::win
