// The ranks of the job: where each runs, and whether it still does. Constant once the session is
// open, but for liveness.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/node/liveness.hpp"
#include "session/node/node_memory.hpp"
#include "session/team/placement.hpp"
#include "sync/expected_request.hpp"
#include "sync/known_deaths.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

class messenger;
class node_service;

class job {
 public:
  struct description {
    int rank = 0;
    placement where;  // of all ranks, for as long as this object lives
    pid_t id = 0;
    int together = 1;  // ranks that share this process's processors, on its node or not
    // The time-out of a wait for a rank that is alive; empty: none.
    std::optional<std::chrono::milliseconds> patience;
  };
  job(const description&, node_memory& memory);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return where_.size(); }
  // The process of rank 0, by which people and tools name the job.
  [[nodiscard]] pid_t id() const noexcept { return id_; }
  // Of a rank of this node.
  [[nodiscard]] pid_t pid_of(int r) const noexcept { return memory_->member(node_rank_of(r)).pid; }
  [[nodiscard]] const placement& where() const noexcept { return where_; }
  [[nodiscard]] int node_of(int r) const noexcept { return where_.node_of(r); }
  [[nodiscard]] int node_rank_of(int r) const noexcept { return where_.node_rank(r); }
  [[nodiscard]] bool on_my_node(int r) const noexcept { return node_of(r) == node_; }
  [[nodiscard]] int nodes() const noexcept { return where_.nodes(); }
  [[nodiscard]] int ranks_on_node() const noexcept {
    return static_cast<int>(where_.ranks_on(node_).size());
  }
  // More ranks than processors, among those that one kernel runs: hosts may be containers.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  // The same where each rank has an agent that needs a processor too.
  [[nodiscard]] bool oversubscribed_with_agents() const noexcept {
    return oversubscribed_with_agents_;
  }
  // Returns false once rank `r` has died or left, as far as this process has found. A system call
  // for ranks of this node that are not known to have gone, none for others.
  [[nodiscard]] bool alive(int r) const noexcept;
  // The same, and announces to the other nodes when a rank of this one has gone, and keeps it.
  bool look(int r) noexcept;
  // The ranks of this node that have gone, by their numbers there, as far as look() has found.
  [[nodiscard]] const sync::known_deaths& deaths() const noexcept { return deaths_; }
  // Returns whether rank `r`, of this node, may still access the node's memory, whatever fate
  // others have announced.
  [[nodiscard]] bool runs(int r) const noexcept { return memory_->alive(node_rank_of(r)); }
  // What is known of rank `r`, and the same for messages, behind "rank 3 ": "has died".
  [[nodiscard]] fate fate_of(int r) const noexcept;
  [[nodiscard]] std::string fate_in_words(int r) const;
  // Returns whether the other ranks have declared this one failed, since it was cut off: no rank
  // communicates with it any more.
  [[nodiscard]] bool estranged() const noexcept {
    return others_ != nullptr && others_->known().estranged();
  }
  // The same for messages, behind "the others ".
  [[nodiscard]] std::string estrangement_in_words() const;
  // Most of the job is out of reach and not known to have ended, or as many ranks as are left and
  // the lowest of all among them (partition::larger_part).
  [[nodiscard]] bool in_smaller_part() const noexcept;
  // How many ranks have gone of which other nodes sent the news, and which, in that order.
  [[nodiscard]] std::size_t losses() const noexcept {
    return others_ == nullptr ? 0 : others_->known().losses();
  }
  [[nodiscard]] int lost(std::size_t i) const noexcept { return others_->known().lost(i); }
  // The rails that no rank uses any more, by bits, and one that was found to have failed.
  [[nodiscard]] std::uint32_t failed_rails() const noexcept {
    return others_ == nullptr ? 0 : others_->known().failed_rails();
  }
  void report_rail(int rail) noexcept {
    if (others_ != nullptr) others_->report_rail(rail);
  }
  // How long a rank of another node may be silent before it counts as cut off, in all jobs.
  [[nodiscard]] std::chrono::milliseconds silence() const noexcept {
    return others_ == nullptr ? liveness::settings{}.silence : others_->silence();
  }
  // Rank `r` announces that it closes its session.
  void note_left(int r) noexcept {
    if (others_ != nullptr) others_->report(r, fate::leaving);
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept {
    return patience_;
  }

  // A call has returned peer_failed to the program, or rma_sync, as from a rank that has freed a
  // window after a death: from then on it may call other collectives than the ranks where none has.
  void note_bereaved() noexcept { bereaved_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool bereaved() const noexcept { return bereaved_.load(std::memory_order_relaxed); }

  // The other nodes, once they are connected; null before, and when there are none.
  void connect(liveness& others) noexcept { others_ = &others; }
  // What has been found by them is forgotten.
  void disconnect() noexcept {
    others_ = nullptr;
    deaths_.forget();
  }
  void connect(messenger* messages) noexcept {
    messenger_.store(messages, std::memory_order_release);
  }
  [[nodiscard]] messenger* messages() const noexcept {
    return messenger_.load(std::memory_order_acquire);
  }
  // Once there is one; null before, and afterwards.
  void be_served_by(node_service* server) noexcept {
    server_.store(server, std::memory_order_release);
  }
  [[nodiscard]] node_service* server() const noexcept {
    return server_.load(std::memory_order_acquire);
  }
  // Of requests to rank `r`, on this node.
  [[nodiscard]] sync::request_bell& bell(int r) const noexcept;
  // Where this process looks besides.
  [[nodiscard]] sync::expected_request& expected_request() noexcept { return expected_; }

 private:
  // Of a rank of this node: it runs, and look() has not found otherwise.
  [[nodiscard]] bool is_here(int r) const noexcept {
    return !deaths_.has(node_rank_of(r)) && runs(r);
  }

  int rank_;
  placement where_;
  int node_;  // of this process
  pid_t id_;
  node_memory* memory_;
  bool oversubscribed_;
  bool oversubscribed_with_agents_;
  std::optional<std::chrono::milliseconds> patience_;
  liveness* others_ = nullptr;
  std::atomic<messenger*> messenger_{nullptr};
  std::atomic<node_service*> server_{nullptr};
  sync::expected_request expected_;
  sync::known_deaths deaths_;
  std::atomic<bool> bereaved_{false};
};

// Waits as a job does, whomever it is for.
class job_watch : public sync::peer_watch {
 public:
  explicit job_watch(job& whole) noexcept : job_(&whole) {}
  [[nodiscard]] bool oversubscribed() const noexcept override { return job_->oversubscribed(); }
  [[nodiscard]] bool oversubscribed_with_agents() const noexcept override {
    return job_->oversubscribed_with_agents();
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return job_->patience();
  }
  [[nodiscard]] bool needs_progress() const noexcept override;
  [[nodiscard]] bool serves() const noexcept override {
    return job_->messages() != nullptr || job_->server() != nullptr;
  }
  void progress() const noexcept override;
  [[nodiscard]] bool serves_nodes() const noexcept override;
  void progress_asleep() const noexcept override;

 protected:
  job* job_;
};

// Gives up on the ranks of a team, of which this rank is one.
class member_watch : public job_watch {
 public:
  // `members` outlives it; `me` is this rank there.
  member_watch(job& whole, const placement& members, int me) noexcept
      : job_watch(whole), members_(&members), on_node_(members.ranks_on(members.node_of(me))) {}
  [[nodiscard]] bool any_failed() const noexcept override;
  // The same for the waits of call_watch.
  [[nodiscard]] virtual bool any_failed_amid_call() const noexcept;
  [[nodiscard]] bool has_gone(int world_rank) const noexcept { return !job_->look(world_rank); }

 private:
  template <class Counts>
  [[nodiscard]] bool any_gone(Counts) const noexcept;
  [[nodiscard]] bool saw_one_leave_long_ago() const noexcept;

  const placement* members_;
  std::span<const int> on_node_;                        // of the members
  mutable std::atomic<std::int64_t> saw_one_leave_{0};  // when first; 0: never
};

// Waits amid a call of all members. One of another node that has closed its session was through
// with the call, while ranks that stood still may have yet to pass on what it has sent. So it
// counts where it is waited for itself (has_gone()), and by and by for all: it may have left before
// the call, so that nobody has anything to pass on.
class call_watch final : public sync::like_watch {
 public:
  // `members` outlives it.
  explicit call_watch(const member_watch& members) noexcept
      : like_watch(members), members_(&members) {}
  [[nodiscard]] bool any_failed() const noexcept override {
    return members_->any_failed_amid_call();
  }
  [[nodiscard]] bool has_gone(int world_rank) const noexcept {
    return members_->has_gone(world_rank);
  }

 private:
  const member_watch* members_;
};

// Gives up on one.
class rank_watch : public job_watch {
 public:
  rank_watch(job& whole, int world_rank) noexcept : job_watch(whole), rank_(world_rank) {}
  [[nodiscard]] bool any_failed() const noexcept override { return !job_->look(rank_); }

 private:
  int rank_;
};

// Returns what identifies the running kernel.
std::string kernel_identity();

// Returns what identifies the network that this process is in, which its own loopback spans.
std::string network_identity();

// Returns what identifies this node: ORIEL_NODE_ID, or else the running kernel and the namespaces
// within which memory is shared.
std::string node_identity(const std::optional<std::string>& overridden);

}  // namespace oriel::sessions
