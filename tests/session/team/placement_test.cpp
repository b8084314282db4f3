// Where the ranks of a team are, as the ranks of a node write it together.
#include "session/team/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tests/support/seed.hpp"

namespace oriel::sessions {
namespace {

using numbers = std::vector<int>;

numbers as_list(std::span<const int> s) {
  return {s.begin(), s.end()};
}

// Zeroed memory for so many.
class room {
 public:
  room(int ranks, int nodes) : bytes_(placement::bytes(ranks, nodes) + guard) {}
  [[nodiscard]] std::byte* begin() noexcept { return bytes_.data(); }
  [[nodiscard]] bool is_whole() const noexcept {
    return std::all_of(bytes_.end() - guard, bytes_.end(),
                       [](std::byte b) { return b == std::byte{}; });
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::ptrdiff_t guard = 64;
  std::vector<std::byte> bytes_;
};

TEST(Placement, NumbersNodesAsTheirLowestRanks) {
  const numbers world{7, 2, 9, 4, 5};
  const numbers nodes{30, 10, 30, 20, 10};
  room at(5, 3);
  const placement p(at.begin(), world, nodes);
  EXPECT_EQ(p.size(), 5);
  EXPECT_EQ(p.nodes(), 3);
  EXPECT_EQ(as_list(p.world_ranks()), world);
  EXPECT_EQ(as_list(p.node_of()), (numbers{0, 1, 0, 2, 1}));
  EXPECT_EQ(p.node_rank(0), 0);
  EXPECT_EQ(p.node_rank(2), 1);
  EXPECT_EQ(p.node_rank(4), 1);
  EXPECT_EQ(as_list(p.ranks_on(0)), (numbers{0, 2}));
  EXPECT_EQ(as_list(p.ranks_on(1)), (numbers{1, 4}));
  EXPECT_EQ(as_list(p.ranks_on(2)), (numbers{3}));
}

TEST(Placement, OfNobody) {
  const placement p;
  EXPECT_EQ(p.size(), 0);
  EXPECT_EQ(p.nodes(), 0);
}

// A rank may read while another still writes, since both write the same.
TEST(Placement, IsLeftAsItIsByWhoeverWritesItAgain) {
  const numbers world{0, 1, 2, 3}, nodes{0, 0, 1, 1};
  room at(4, 2);
  const placement first(at.begin(), world, nodes);
  const auto before = at.bytes();
  const placement second(at.begin(), world, nodes);
  EXPECT_EQ(at.bytes(), before);
  EXPECT_EQ(as_list(second.ranks_on(1)), as_list(first.ranks_on(1)));
}

TEST(Placement, OfAnyTeamIsConsistentAndStaysInItsRoom) {
  std::mt19937 random(testing::seed());
  for (int round = 0; round < 200; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 40);
    const int most = 1 + static_cast<int>(random() % 12);
    numbers world(static_cast<std::size_t>(ranks)), nodes;
    std::iota(world.begin(), world.end(), 0);
    std::shuffle(world.begin(), world.end(), random);
    for (int r = 0; r < ranks; ++r) nodes.push_back(static_cast<int>(random()) % most);
    room at(ranks, std::min(ranks, 2 * most));
    const placement p(at.begin(), world, nodes);
    ASSERT_TRUE(at.is_whole());
    int seen = 0, lowest = -1;
    for (int node = 0; node < p.nodes(); ++node) {
      const std::span<const int> there = p.ranks_on(node);
      ASSERT_FALSE(there.empty());
      ASSERT_GT(there.front(), lowest);
      lowest = there.front();
      for (std::size_t i = 0; i < there.size(); ++i, ++seen) {
        ASSERT_EQ(p.node_of(there[i]), node);
        ASSERT_EQ(p.node_rank(there[i]), static_cast<int>(i));
        ASSERT_EQ(nodes[static_cast<std::size_t>(there[i])],
                  nodes[static_cast<std::size_t>(there[0])]);
      }
    }
    ASSERT_EQ(seen, ranks);
    ASSERT_EQ(as_list(p.world_ranks()), world);
  }
}

}  // namespace
}  // namespace oriel::sessions
