// One team as one process holds it.
#pragma once

#include <memory>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/info.hpp"
#include "session/collectives.hpp"
#include "session/job.hpp"
#include "session/session_state.hpp"

namespace oriel::detail {

class team_state {
 public:
  // `block`: of the team's collectives, in node memory; unused when the team spans nodes.
  team_state(std::shared_ptr<session_state> session, std::vector<int> world_ranks, int me,
             std::uint64_t block);

  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int world_rank(int r) const noexcept { return ranks_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const std::vector<int>& world_ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool on_node(int r) const noexcept {
    return session_->job().on_my_node(world_rank(r));
  }
  [[nodiscard]] bool all_on_node() const noexcept { return all_on_node_; }

  errc barrier() noexcept { return collectives_->barrier(); }
  errc allgather(const void* mine, std::size_t bytes, void* all) noexcept {
    return collectives_->allgather(mine, bytes, all);
  }
  errc broadcast(void* data, std::size_t bytes, int root) noexcept {
    return collectives_->broadcast(data, bytes, root);
  }

  [[nodiscard]] session_state& session() const noexcept { return *session_; }
  [[nodiscard]] const std::shared_ptr<session_state>& shared_session() const noexcept {
    return session_;
  }
  // Gives up when a member of this team has gone.
  [[nodiscard]] const boot::peer_watch& watch() const noexcept { return watch_; }
  [[nodiscard]] info& hints() noexcept { return hints_; }
  // The members that have gone, for messages: "rank 2, rank 5".
  [[nodiscard]] std::string gone() const;

 private:
  std::shared_ptr<session_state> session_;
  std::vector<int> ranks_;
  int me_;
  bool all_on_node_;
  boot::member_watch watch_;
  info hints_;
  std::unique_ptr<boot::collectives> collectives_;
};

}  // namespace oriel::detail
