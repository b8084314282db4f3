// Gathers over connections that form a tree, up to rank 0 and down again, so that no rank has more
// messages than children and a parent.
//
// A rank that has left, or does not answer, is found by those that are connected with it, and each
// passes on what it has heard before it gives up: all have the same error, unless several ranks
// fail at once. How long a rank waits depends on its place, so that the one next to a rank that is
// late, which knows its number, gives up before those that wait for it in turn.
#pragma once

#include <string>
#include <vector>

#include "session/bootstrap/connection.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/bootstrap/handshake.hpp"

namespace oriel::sessions {

// Where a rank that is late has been waited for by all, those that are a level farther from it wait
// so much longer.
std::chrono::milliseconds allowance_of(const job_description&, const tree_place&) noexcept;

class gathering {
 public:
  // Requires: connections with the ranks that `place` names, a valid parent but on rank 0, and that
  // `job` outlives this.
  gathering(const job_description& job, tree_place place, connection parent,
            std::vector<connection> children);

  // Collective over the job: every rank's bytes, in rank order. Ends within twice the job's
  // time-out, and, where it fails, last_words more. Throws peer_failed, timed_out, system.
  std::vector<std::string> allgather(const std::string& mine);

  // The messages that this rank has sent and received on these connections.
  [[nodiscard]] traffic counted() const noexcept;

 private:
  using clock = std::chrono::steady_clock;
  using parts = std::vector<std::string>;

  [[nodiscard]] deadline after(int levels) const;
  void collect(parts& all, deadline until);
  [[nodiscard]] bool take(std::size_t child, const std::string& bytes, parts& all);
  // Returns the message that holds all.
  std::string exchange_with_parent(parts& all, deadline until);
  void pass_down(const std::string& whole, deadline until);
  // Passes it on to all neighbours: one that is late may come yet.
  [[noreturn]] void fail(const answer& why);

  const job_description& job_;
  tree_place place_;
  connection parent_;
  std::vector<connection> children_;  // as place_.children
};

}  // namespace oriel::sessions
