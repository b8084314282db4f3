// A job on several nodes: who shares one, and the collectives of the whole job.
#include <cstdlib>
#include <numeric>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

int ranks_per_node() {
  const char* const text = std::getenv("ORIEL_TEST_RANKS_PER_NODE");
  return text == nullptr ? ranks() : std::atoi(text);
}

TEST(Nodes, ConsecutiveRanksShareOne) {
  const int per_node = ranks_per_node();
  const team node = job().node();
  EXPECT_EQ(node.size(), per_node);
  EXPECT_EQ(node.me().value, me() % per_node);
  for (int r = 0; r < node.size(); ++r)
    EXPECT_EQ(node.world_rank(rank{r}).value, me() / per_node * per_node + r);
  for (int r = 0; r < ranks(); ++r)
    EXPECT_EQ(world().on_node(rank{r}), r / per_node == me() / per_node) << r;
}

TEST(Nodes, CollectivesReachAllOfThem) {
  for (int round = 0; round < 20; ++round) {
    const std::vector<int> all = world().allgather(me() + 100 * round);
    for (int r = 0; r < ranks(); ++r) ASSERT_EQ(all[static_cast<std::size_t>(r)], r + 100 * round);
    ASSERT_TRUE(world().barrier().ok());
    const rank root{round % ranks()};
    int value = me() == root.value ? round : -1;
    ASSERT_TRUE(world().broadcast(value, root).ok());
    ASSERT_EQ(value, round);
  }
  EXPECT_EQ(world().allreduce(me(), atomic_op::sum), ranks() * (ranks() - 1) / 2);
}

TEST(Nodes, CollectivesOfOneNodeStayThere) {
  const team node = job().node();
  const int first = me() / ranks_per_node() * ranks_per_node();
  std::vector<int> expected(static_cast<std::size_t>(node.size()));
  std::iota(expected.begin(), expected.end(), first);
  EXPECT_EQ(node.allgather(me()), expected);
}

// What happens when some have died: tests/faults.
TEST(Nodes, TeamsShrinkToThoseThatAreLeft) {
  const team reversed = world().split(0, -me());
  for (int round = 0; round < 3; ++round) {
    const team all = world().shrink();
    ASSERT_EQ(all.size(), ranks());
    EXPECT_EQ(all.allreduce(me(), atomic_op::sum), ranks() * (ranks() - 1) / 2);
    const team backwards = reversed.shrink();
    EXPECT_EQ(backwards.me().value, ranks() - 1 - me());
    EXPECT_EQ(backwards.allgather(me()), reversed.allgather(me()));
    EXPECT_EQ(job().node().shrink().size(), ranks_per_node());
  }
}

}  // namespace
}  // namespace oriel::testing
