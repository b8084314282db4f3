// Who is linked with whom: few links each, everyone reached, and a closed ring whoever has gone.
#include "session/node/overlay_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace oriel::sessions {
namespace {

const auto nobody = [](int) { return false; };

using links_by_rank = std::vector<std::vector<int>>;

// Of each rank, whoever makes them.
links_by_rank links_of_all(int n) {
  links_by_rank links(static_cast<std::size_t>(n));
  const auto add = [&links](int r, int other) {
    std::vector<int>& mine = links[static_cast<std::size_t>(r)];
    EXPECT_EQ(std::count(mine.begin(), mine.end(), other), 0) << r << "-" << other;
    mine.push_back(other);
  };
  for (int r = 0; r < n; ++r)
    for (const int other : connected_by(r, n)) {
      EXPECT_NE(other, r);
      add(r, other);
      add(other, r);
    }
  return links;
}

// How many steps news takes from rank 0 to the last that receives it; -1 when some never do.
int steps_to_all(const links_by_rank& links) {
  std::vector<int> reached(links.size(), -1);
  std::vector<int> front{0};
  reached[0] = 0;
  std::size_t heard = 1;
  int steps = 0;
  while (!front.empty()) {
    std::vector<int> next;
    for (const int r : front)
      for (const int other : links[static_cast<std::size_t>(r)])
        if (reached[static_cast<std::size_t>(other)] < 0) {
          reached[static_cast<std::size_t>(other)] = steps + 1;
          next.push_back(other);
          ++heard;
        }
    steps += next.empty() ? 0 : 1;
    front = std::move(next);
  }
  return heard == links.size() ? steps : -1;
}

TEST(OverlayShape, LinksAllOfASmallJob) {
  for (int n = 1; n <= all_linked; ++n)
    for (const std::vector<int>& links : links_of_all(n))
      EXPECT_EQ(links.size(), static_cast<std::size_t>(n - 1)) << n;
}

TEST(OverlayShape, GivesEachRankFewLinksThatReachAll) {
  for (const int n : {17, 24, 33, 64, 100, 1000, 100'000}) {
    const auto links = links_of_all(n);
    int doublings = 0;
    while (1 << (doublings + 1) <= n) ++doublings;
    for (const std::vector<int>& l : links) {
      EXPECT_LE(l.size(), 2u * static_cast<unsigned>(doublings)) << n;
      EXPECT_GE(l.size(), 2u * static_cast<unsigned>(doublings) - 1) << n;
    }
    const int steps = steps_to_all(links);
    EXPECT_GT(steps, 0) << n;
    EXPECT_LE(steps, doublings) << n;
  }
}

TEST(OverlayShape, ClosesTheRingOfTheLiving) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 dice(seed);
  for (int round = 0; round < 200; ++round) {
    const int n = 2 + static_cast<int>(dice() % 100);
    std::vector<bool> dead(static_cast<std::size_t>(n));
    const unsigned deadly = dice() % 10;
    for (int r = 1; r < n; ++r) dead[static_cast<std::size_t>(r)] = dice() % 10 < deadly;
    const auto gone = [&](int r) { return dead[static_cast<std::size_t>(r)]; };
    for (int r = 0; r < n; ++r) {
      if (gone(r)) continue;
      int next = (r + 1) % n;
      while (gone(next)) next = (next + 1) % n;
      const std::vector<int> links = linked_after(r, n, gone);
      for (const int other : links) EXPECT_FALSE(gone(other));
      EXPECT_EQ(std::count(links.begin(), links.end(), r), 0);
      EXPECT_EQ(std::count(links.begin(), links.end(), next), next == r ? 0 : 1);
    }
  }
}

TEST(OverlayShape, HasOneRankMakeEachLink) {
  EXPECT_TRUE(connected_by(0, 1).empty());
  EXPECT_EQ(connected_by(0, 2), std::vector<int>{1});
  EXPECT_TRUE(connected_by(1, 2).empty());
  EXPECT_EQ(connected_by(0, 1000), (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
}

}  // namespace
}  // namespace oriel::sessions
