// What happens in programs of shrinks: of which ranks, in which of the shrinks, at which moment.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/protocol.hpp"

namespace oriel::sim {

// `other` is the number of a shrink, from 0.
struct shrink_act {
  enum : int {
    comes_late,  // by n ms
    is_unready,
    is_cut_off,        // as coordinator it finds that most are out of reach
    is_impatient,      // its calls time out after n ms, and it calls again
    of_the_same_team,  // all shrink the team before once more
    dies,
    node_dies,
    is_given_up,  // it is stopped, and all others take it for dead, also when it goes on
    node_is_given_up
  };
  // When one dies or is given up: what it has done, how often in this shrink, and soon after.
  enum class moment : std::uint8_t { calls, sends, receives, decides, another_returns };
  static constexpr int moments = 5;

  static int code_of(moment when, int count, int log_of_steps) noexcept {
    return static_cast<int>(when) + moments * (count + 8 * log_of_steps);
  }
  static moment when(const act& a) noexcept { return static_cast<moment>(a.n % moments); }
  static int count(const act& a) noexcept { return a.n / moments % 8; }
  static int log_of_steps(const act& a) noexcept { return a.n / moments / 8; }
  static bool strikes(const act& a) noexcept { return a.what >= dies; }
  static bool kills(const act& a) noexcept { return a.what == dies || a.what == node_dies; }
  static bool strikes_node(const act& a) noexcept {
    return a.what == node_dies || a.what == node_is_given_up;
  }
};

// What a program's variant says.
struct shrink_kind {
  explicit shrink_kind(const program& p) noexcept
      : shrinks(1 + p.variant % 4), always_serves(p.variant / 4 % 2 == 0) {}
  int shrinks;
  bool always_serves;  // each process has an agent before it has an answer to give
};

// Draws them. Half are plots against those that speak for their nodes, in the first shrink: what
// these know is lost, or comes late, just as others go on without them.
class shrink_drawing {
 public:
  shrink_drawing(randomness& random, int most_ranks) : random_(random) {
    is_plot_ = most_ranks > 3 && random.below(2) == 0;
    drawn_.ranks = is_plot_ ? 4 + random.below(most_ranks - 1) : 2 + random.below(most_ranks + 1);
    drawn_.variant = random.below(8);
    place();
    if (is_plot_)
      plot();
    else if (nodes_ == 1)
      give_up_beside_a_late_one();
    if (!is_lost_) add_what_may_come();
    if (!is_plot_) add_strikes();
  }
  [[nodiscard]] const program& drawn() const noexcept { return drawn_; }

 private:
  using acts = shrink_act;
  using moment = acts::moment;

  // Of a plot: the nodes of rank 0, of others that come before the victim's, the victim's, others.
  void place() {
    const int ranks = drawn_.ranks;
    const int way = is_plot_ ? 3 : below(3);  // in blocks, in turn, or at random
    nodes_ = below(8) == 0 ? 1 : 2 + below(ranks - 1);
    is_lost_ = is_plot_ && ranks > 4 && below(2) == 0;
    const int first = is_lost_ ? 1 : 1 + below(2);
    victim_ = is_lost_ ? 2 : first + below(std::max(ranks - first - 1, 1));
    const int behind = victim_ + 2 + below(ranks);
    for (int r = 0; r < ranks; ++r) {
      const int in_plot = r < first ? 0 : r < victim_ ? 1 : r < behind ? 2 : 3;
      const int drawn[] = {r * nodes_ / ranks, r % nodes_, below(nodes_), in_plot};
      drawn_.nodes.push_back(drawn[way]);
    }
  }
  void plot() {
    const int neighbour = victim_ + 1;
    if (is_lost_) {
      // The answer has reached the victim's node alone, and the others agree on another one.
      add(0, acts::dies, acts::code_of(moment::sends, 1, 3));
      add(victim_, acts::is_given_up, acts::code_of(moment::receives, 0, 4));
      if (below(4) == 0) add(victim_, acts::dies, acts::code_of(moment::receives, 0, 4));
      if (below(4) == 0) add(neighbour, acts::is_impatient, 1 << below(6));
      return;
    }
    const int kinds[] = {acts::dies, acts::node_dies, acts::is_given_up};
    if (below(4) != 0) {
      const int kind = kinds[below(3)];
      const moment when = below(3) == 0 ? moment::decides : moment::sends;
      add(0, kind, soon_after(when, below(3)));
    }
    const int victim = below(4) == 0 ? 0 : victim_;
    const moment when = victim == 0 || below(3) == 0 ? moment::decides : moment::receives;
    add(victim, acts::is_given_up, soon_after(when, 0));
    if (below(4) == 0) add(victim, acts::dies, soon_after(when, 0));
    if (below(8) == 0) {
      const int other = anybody();
      add(other, acts::is_given_up, soon_after(moment::receives, 0));
    }
    if (below(3) == 0) add(neighbour, acts::is_impatient, 1 << below(6));
  }
  void give_up_beside_a_late_one() {
    const int victim = anybody(), late = anybody();
    add(victim, acts::is_given_up, soon_after(moment::calls, 0));
    add(late, acts::comes_late, 32 << below(5));
  }
  void add_what_may_come() {
    for (int i = below(3); i > 0; --i) add_of_anybody(acts::comes_late, 1 << below(10));
    if (below(6) == 0) add_of_anybody(acts::is_unready, 0);
    if (below(12) == 0) add_of_anybody(acts::is_cut_off, 0);
    if (below(4) == 0) add_of_anybody(acts::is_impatient, 1 << below(7));
    if (shrink_kind(drawn_).shrinks > 1 && below(3) == 0) add_of_anybody(acts::of_the_same_team, 0);
  }
  // As many as there are ranks, and nodes with them: at times nobody survives.
  void add_strikes() {
    const auto strike = [this](int what) {
      const int log = below(10);
      const auto when = static_cast<moment>(below(acts::moments));
      const int count = below(4);
      add_of_anybody(what, acts::code_of(when, count, log));
    };
    for (int i = below(1 + drawn_.ranks); i > 0; --i)
      strike(below(4) == 0 ? acts::node_dies : acts::dies);
    for (int i = below(3) == 0 ? 1 + below(2) : 0; i > 0; --i)
      strike(below(4) == 0 ? acts::node_is_given_up : acts::is_given_up);
  }

  int below(int n) { return random_.below(n); }
  int anybody() { return below(drawn_.ranks); }
  int soon_after(moment when, int count) { return acts::code_of(when, count, below(6)); }
  void add(int rank, int what, int n) {
    const int shrink = is_plot_ ? 0 : below(shrink_kind(drawn_).shrinks);
    drawn_.acts.push_back({rank, what, shrink, n});
  }

  void add_of_anybody(int what, int n) {
    const int rank = anybody();
    add(rank, what, n);
  }

  randomness& random_;
  program drawn_;
  bool is_plot_ = false, is_lost_ = false;
  int nodes_ = 1, victim_ = 0;
};

inline std::string shrink_in_words(const act& a) {
  const std::string rank = "rank " + std::to_string(a.rank);
  const std::string there = " in shrink " + std::to_string(a.other);
  switch (a.what) {
    case shrink_act::comes_late:
      return rank + " comes " + std::to_string(a.n) + " ms late" + there;
    case shrink_act::is_unready:
      return rank + " is not ready" + there;
    case shrink_act::is_cut_off:
      return rank + " is cut off" + there;
    case shrink_act::is_impatient:
      return rank + " waits no longer than " + std::to_string(a.n) + " ms" + there;
    case shrink_act::of_the_same_team:
      return "all shrink the team before once more" + there;
    default:
      break;
  }
  const std::string moments[] = {"it calls", "it sends", "it receives", "it decides",
                                 "another has returned"};
  return rank + (shrink_act::strikes_node(a) ? " and its node" : "") +
         (shrink_act::kills(a) ? " dies" : " is stopped and given up") + there + ", within " +
         std::to_string(1 << shrink_act::log_of_steps(a)) + " steps after " +
         moments[static_cast<int>(shrink_act::when(a))] + ", for the " +
         std::to_string(1 + shrink_act::count(a)) + ". time";
}

}  // namespace oriel::sim
