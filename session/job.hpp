// Who takes part: every rank of the job, where it runs, and whether it still does. Constant once
// the session is open, but for liveness.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "session/node_memory.hpp"
#include "session/wait.hpp"

namespace oriel::boot {

struct job_member {
  pid_t pid = 0;
  int node = 0;     // nodes are numbered by their lowest rank
  int on_node = 0;  // place among the ranks of its node
};

class job {
 public:
  job(int rank, std::vector<job_member> members, node_memory& memory);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
  [[nodiscard]] pid_t pid_of(int r) const noexcept { return member(r).pid; }
  [[nodiscard]] int node_of(int r) const noexcept { return member(r).node; }
  [[nodiscard]] bool on_my_node(int r) const noexcept { return node_of(r) == node_of(rank_); }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int ranks_on_node() const noexcept { return ranks_on_node_; }
  // More ranks on this node than processors.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  // False once rank `r` has died or left. Ranks of other nodes count as alive.
  [[nodiscard]] bool alive(int r) const noexcept;
  // Where the agent of rank `r`, on this node, sleeps.
  [[nodiscard]] wait_word& doorbell(int r) const noexcept;

 private:
  [[nodiscard]] const job_member& member(int r) const noexcept {
    return members_[static_cast<std::size_t>(r)];
  }

  int rank_;
  std::vector<job_member> members_;
  node_memory* memory_;
  int nodes_ = 1;
  int ranks_on_node_ = 1;
  bool oversubscribed_ = false;
};

// Gives up on some ranks of the job.
class member_watch final : public peer_watch {
 public:
  member_watch(const job& whole, std::vector<int> world_ranks)
      : job_(&whole), ranks_(std::move(world_ranks)) {}
  [[nodiscard]] bool any_failed() const noexcept override;
  [[nodiscard]] bool oversubscribed() const noexcept override { return job_->oversubscribed(); }

 private:
  const job* job_;
  std::vector<int> ranks_;
};

// What tells this node from others: ORIEL_NODE_ID, or else the running kernel and the namespaces
// that memory is shared within.
std::string node_identity(const std::optional<std::string>& overridden);

}  // namespace oriel::boot
