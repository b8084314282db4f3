// The agreement of a team on its survivors: every rank that returns has the same answer, whichever
// rank dies meanwhile. Bounded by the time to detect deaths, once all living ranks take part.
//
// It is one between nodes. The ranks of a node sign in on its board. When all have that live, the
// lowest of them speaks for the node: it comes by the answer, by itself where the team is all on
// one node, else in conversation with those that speak for others (conversation.hpp). The others
// wait on the board for that; when it dies the next one speaks, and goes on from what is there.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "oriel/errc.hpp"
#include "session/team/placement.hpp"
#include "session/team/shrink_board.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

// The ranks of a team, and how one of them sees the others.
struct agreeing {
  const placement* where = nullptr;
  int me = 0;
  std::uint32_t turn = 0;                   // counts the agreements of this team, from 1
  const sync::peer_watch* waits = nullptr;  // as all of the job do
  std::function<bool(int)> look;            // whether a rank takes part: it is alive, by its kernel
  std::function<bool(int)> runs;  // the same of one of this node that others have given up
  // Whether the others have given up this rank, which finds all of them gone then. It is asked
  // after each look that something is said or decided by: what was found is not so where it has
  // been.
  std::function<bool()> is_given_up;

  [[nodiscard]] int node() const noexcept { return where->node_of(me); }
  [[nodiscard]] std::span<const int> node_members() const noexcept {
    return where->ranks_on(node());
  }
};

// What the ranks of a node have to say, once all have come that live.
struct node_report {
  bool ready = true;        // all of them are
  std::vector<int> absent;  // those of the node that do not take part: ranks of the team
};

class node_shrink_agreement {
 public:
  // `board`: of this node's ranks.
  node_shrink_agreement(shrink_board board, agreeing a) : board_(board), a_(std::move(a)) {}

  // `speak()` comes by an answer, which is on the board then. It may be called again after
  // peer_failed. timed_out after the job's time-out: the others may still agree with this rank
  // among them, and a second call with the same turn returns what they agreed. peer_failed: they
  // have agreed without it.
  errc agree(bool ready, const std::function<errc()>& speak, shrink_answer& found);

  // For who speaks.
  [[nodiscard]] node_report report() const;
  // As the only node: the answer is this rank's.
  errc decide_alone();

 private:
  [[nodiscard]] int speaker() const;
  errc wait_for_absent();
  errc wait_for(int speaker);

  shrink_board board_;
  agreeing a_;
  std::vector<bool> dead_;  // by place on the node: without having signed in
};

}  // namespace oriel::sessions
