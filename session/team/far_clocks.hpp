// ORIEL_CHECK: the clocks of other nodes, each with a time of its own (vector_clock.hpp). How far
// one is ahead of this node's, at most, is known from answers: a node that was asked at one of our
// times gave its own time later than that.
//
// Clocks that are not set, of machines that adjust them to others, run apart by less than one part
// in 2000 (adjtimex: 500 ppm). Not synchronized: under the mutex of the clock that has it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace oriel::sessions {

class far_clocks {
 public:
  // Later than all times.
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  far_clocks(int nodes, int my_node) : nodes_(static_cast<std::size_t>(nodes)), my_node_(my_node) {}

  // Node `n` gave its own time `theirs` after it was `asked`, by this node's clock.
  void heard(int n, std::uint64_t asked, std::uint64_t theirs) noexcept;
  // Returns a time of node `n` that is not before `mine`, of this node: the same of this one, and
  // `never` of nodes that have not been heard. 0, which is no time, remains.
  [[nodiscard]] std::uint64_t not_before(int n, std::uint64_t mine) const noexcept;

 private:
  struct bound {
    std::int64_t ahead = 0;  // as far as it may be
    std::uint64_t at = 0;    // of this node, when it was heard; 0: never
  };
  std::vector<bound> nodes_;
  int my_node_;
};

}  // namespace oriel::sessions
