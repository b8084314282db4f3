// The shapes along which ranks gather.
#include "session/bootstrap/gathering_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace oriel::testing {
namespace {

using sessions::place_in_star;
using sessions::place_in_tree;
using sessions::tree_place;

int logarithm(int ranks) {
  int n = 0;
  while ((1 << n) < ranks) ++n;
  return n;
}

// Every rank but 0 is the child of the one that it takes for its parent, and the branches of a rank
// are the ranks behind it, without a gap.
template <class Place>
void expect_a_tree(int ranks, Place place) {
  std::set<int> children;
  for (int r = 0; r < ranks; ++r) {
    const tree_place here = place(r, ranks);
    EXPECT_EQ(here.rank, r);
    int next = r + 1;
    for (const tree_place::branch& b : here.children) {
      const tree_place child = place(b.rank, ranks);
      EXPECT_EQ(b.rank, next);
      EXPECT_EQ(child.end, b.end);
      EXPECT_EQ(child.parent, r);
      EXPECT_EQ(child.depth, here.depth + 1);
      EXPECT_LT(child.height, here.height);
      EXPECT_TRUE(children.insert(b.rank).second) << b.rank;
      next = b.end;
    }
    EXPECT_EQ(here.end, next);
    EXPECT_EQ(here.levels, place(0, ranks).height);
    EXPECT_LE(here.depth + here.height, here.levels);
  }
  EXPECT_EQ(static_cast<int>(children.size()), ranks - 1);
  EXPECT_EQ(place(0, ranks).parent, -1);
}

TEST(GatheringTree, HoldsEveryRankOnce) {
  for (int ranks = 2; ranks <= 130; ++ranks) {
    expect_a_tree(ranks, place_in_tree);
    expect_a_tree(ranks, place_in_star);
  }
}

TEST(GatheringTree, HasLogarithmicallyManyLevelsAndChildren) {
  for (const int ranks : {2, 3, 16, 17, 100, 128, 1000, 1 << 20}) {
    EXPECT_EQ(static_cast<int>(place_in_tree(0, ranks).children.size()), logarithm(ranks));
    for (const int r : {1, 2, ranks / 2, ranks - 1}) {
      EXPECT_LT(static_cast<int>(place_in_tree(r, ranks).children.size()), logarithm(ranks));
      EXPECT_LE(place_in_tree(r, ranks).depth, logarithm(ranks));
    }
  }
}

}  // namespace
}  // namespace oriel::testing
