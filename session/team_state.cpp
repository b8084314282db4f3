#include "session/team_state.hpp"

#include <algorithm>
#include <string>

namespace oriel::detail {

team_state::team_state(std::shared_ptr<session_state> session, std::vector<int> world_ranks, int me,
                       std::uint64_t block)
    : session_(std::move(session)),
      ranks_(std::move(world_ranks)),
      me_(me),
      all_on_node_(std::all_of(ranks_.begin(), ranks_.end(),
                               [this](int r) { return session_->job().on_my_node(r); })),
      watch_(session_->job(), ranks_),
      hints_(session_->hints()) {
  if (all_on_node_) {
    collectives_ =
        std::make_unique<boot::node_collectives>(session_->memory(), block, me_, size(), watch_);
  } else if (size() == session_->job().size()) {
    collectives_ = std::make_unique<boot::star_collectives>(session_->launcher());
  } else {
    throw error(errc::arg,
                "a team of some of the ranks of several nodes needs a fabric, which this "
                "version does not have; split the world by node first");
  }
}

std::string team_state::gone() const {
  std::string list;
  for (int r = 0; r < size(); ++r)
    if (!session_->job().alive(world_rank(r)))
      list += (list.empty() ? "rank " : ", rank ") + std::to_string(r);
  return list;
}

}  // namespace oriel::detail
