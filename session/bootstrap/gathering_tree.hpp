// Along which connections ranks gather: a star with rank 0 in its middle, or a binomial tree with
// rank 0 as its root, in which no rank has more than ceil(log2 p) children. In it the ranks of a
// subtree follow each other, so that most neighbours share a node where a node's ranks do.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

namespace oriel::sessions {

// So many ranks gather as a star: its rank 0 has then at most 15 messages to receive instead of 4,
// and no others have to listen and to be connected to (measured: docs/SCALING.md).
inline constexpr int largest_star = 16;

// Of one rank.
struct tree_place {
  struct branch {
    int rank;  // the child, the first of the branch
    int end;   // behind its last
  };
  int rank = 0;
  int parent = -1;                 // of rank 0
  std::vector<branch> children{};  // in rank order
  int end = 1;                     // behind the last rank of this one's own subtree
  int depth = 0;                   // below rank 0
  int height = 0;                  // how many levels are below this rank, at most
  int levels = 0;                  // the same of rank 0
};

inline std::vector<int> children_of(const tree_place& place) {
  std::vector<int> ranks;
  ranks.reserve(place.children.size());
  for (const tree_place::branch& b : place.children) ranks.push_back(b.rank);
  return ranks;
}

inline tree_place place_in_star(int rank, int ranks) {
  tree_place here{.rank = rank, .end = rank + 1, .levels = 1};
  if (rank != 0) {
    here.parent = 0;
    here.depth = 1;
    return here;
  }
  here.end = ranks;
  here.height = 1;
  for (int child = 1; child < ranks; ++child) here.children.push_back({child, child + 1});
  return here;
}

// The number without its last bit that is set. Requires: not rank 0.
constexpr int parent_in_tree(int rank) noexcept {
  return rank & (rank - 1);
}

inline tree_place place_in_tree(int rank, int ranks) {
  const auto levels_of = [](int n) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
  };
  tree_place here{.rank = rank, .levels = levels_of(ranks)};
  here.parent = rank == 0 ? -1 : parent_in_tree(rank);
  here.end = rank == 0 ? ranks : std::min(ranks, rank + (rank & -rank));
  here.depth = std::popcount(static_cast<unsigned>(rank));
  here.height = levels_of(here.end - rank);
  for (int distance = 1; rank + distance < here.end; distance *= 2)
    here.children.push_back({rank + distance, std::min(here.end, rank + 2 * distance)});
  return here;
}

}  // namespace oriel::sessions
