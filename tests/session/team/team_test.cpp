// Teams and their collectives.
#include <functional>
#include <numeric>

#include "oriel/hash_map.hpp"
#include "session/session_state.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(Team, KnowsItself) {
  EXPECT_EQ(world().next().value, (me() + 1) % ranks());
  EXPECT_EQ(world().previous().value, (me() + ranks() - 1) % ranks());
  EXPECT_EQ(job().node().size(), ranks());
  for (int r = 0; r < ranks(); ++r) EXPECT_TRUE(world().on_node(rank{r}));
}

TEST(Team, HandlesOfNoTeamRefuseEveryCall) {
  team moved = world().split(0);
  const team taken = std::move(moved);
  EXPECT_TRUE(taken.valid());
  for (team t : {team(), moved, world().split(-1)}) {
    EXPECT_FALSE(t.valid());
    for (const rank r : {t.me(), t.next(), t.previous(), t.world_rank(rank{0})})
      EXPECT_EQ(r.value, -1);
    EXPECT_EQ(t.size(), 0);
    EXPECT_FALSE(t.on_node(rank{0}));
    EXPECT_EQ(t.hints(), info());
    EXPECT_NE(t.failure().find("of no team"), std::string::npos);
    int value = 7, all = 7;
    EXPECT_EQ(t.barrier().code(), errc::arg);
    EXPECT_EQ(t.broadcast(value, rank{0}).code(), errc::arg);
    EXPECT_EQ(t.allgather_bytes(&value, sizeof value, &all).code(), errc::arg);
    EXPECT_EQ(value + all, 14);
    const std::vector<rank> first{rank{0}};
    const std::vector<std::function<void()>> calls{
        [&] { t.barrier().or_throw(); },
        [&] { (void)t.allgather(value); },
        [&] { (void)t.allreduce(value, atomic_op::sum); },
        [&] { (void)t.split(0); },
        [&] { (void)t.subset(first); },
        [&] { (void)t.shrink(); },
        [&] { t.assert_memory_alloc_kinds("system"); },
        [&] { (void)window<int>::allocate(t, 1, assertion::fence); },
        [&] { (void)hash_map<int, int>(t, 8); },
        [&] { (void)queue<int>(t, 8); },
        [&] { (void)bloom_filter<int>(t, 8, 0.01); },
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto refused = catch_error(calls[i]);
      EXPECT_EQ(refused.code, errc::arg) << "call " << i << ": " << refused.text;
    }
  }
  EXPECT_TRUE(world().barrier().ok()) << "they tell nobody";
}

TEST(Team, CollectivesOfManySizes) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1023},
                                  std::size_t{1024}, std::size_t{5000}, std::size_t{1} << 20}) {
    std::vector<unsigned char> mine(bytes, static_cast<unsigned char>(me() + 1));
    std::vector<unsigned char> all(bytes * static_cast<std::size_t>(ranks()));
    ASSERT_TRUE(world().allgather_bytes(mine.data(), bytes, all.data()).ok());
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], static_cast<unsigned char>(i / bytes + 1));
    const rank root{ranks() - 1};
    ASSERT_TRUE(world().broadcast_bytes(mine.data(), bytes, root).ok());
    for (const unsigned char c : mine) ASSERT_EQ(c, static_cast<unsigned char>(ranks()));
  }
  int value = 0;
  EXPECT_EQ(world().broadcast(value, rank{ranks()}).code(), errc::rank);
}

TEST(Team, Allreduce) {
  const int n = ranks();
  EXPECT_EQ(world().allreduce(me() + 1, atomic_op::sum), n * (n + 1) / 2);
  EXPECT_EQ(world().allreduce(static_cast<double>(me()), atomic_op::max), n - 1);
  EXPECT_EQ(world().allreduce(me(), atomic_op::min), 0);
  EXPECT_EQ(world().allreduce(1u << me(), atomic_op::bor), (1u << n) - 1);
  const auto best = world().allreduce(value_index<int>{-me(), me()}, atomic_op::minloc);
  EXPECT_EQ(best.index, n - 1);
  EXPECT_EQ(catch_error([] { (void)world().allreduce(1.0, atomic_op::bxor); }).code, errc::op);
  // The same bits everywhere, whatever the rounding.
  const double sum = world().allreduce(0.1 * (me() + 1), atomic_op::sum);
  for (const double other : world().allgather(sum)) EXPECT_EQ(other, sum);
}

TEST(Team, SplitByColorAndKey) {
  const team half = world().split(me() % 2, -me());
  const int others = (ranks() + 1 - me() % 2) / 2;
  ASSERT_EQ(half.size(), others);
  for (int r = 0; r + 1 < half.size(); ++r)
    EXPECT_GT(half.world_rank(rank{r}).value, half.world_rank(rank{r + 1}).value);
  EXPECT_EQ(half.allreduce(1, atomic_op::sum), others);
  EXPECT_FALSE(world().split(-1).valid());
  auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(half, 1);
  w.fence().or_throw();
  w.put(half.next(), disp{0}, me()).or_throw();
  w.fence().or_throw();
  EXPECT_EQ(w.local()[0], half.world_rank(half.previous()).value);
  half.barrier().or_throw();
}

TEST(Team, SubsetInTheOrderGiven) {
  std::vector<rank> reversed;
  for (int r = ranks(); r-- > 0;) reversed.emplace_back(r);
  const team backwards = world().subset(reversed);
  EXPECT_EQ(backwards.me().value, ranks() - 1 - me());
  const std::array first{rank{0}};
  EXPECT_EQ(world().subset(first).valid(), me() == 0);
  EXPECT_EQ(catch_error([] { (void)world().subset(std::array{rank{ranks()}}); }).code, errc::rank);
  EXPECT_EQ(catch_error([] {
              (void)world().subset(std::array{rank{0}, rank{0}});
            }).code,
            errc::rank);
}

// What happens when some have died: tests/faults.
TEST(Team, ShrinksToThoseThatAreLeft) {
  const team half = world().split(me() % 2);
  for (int round = 0; round < 3; ++round) {
    const team all = world().shrink();
    ASSERT_EQ(all.size(), ranks());
    EXPECT_EQ(all.me().value, me());
    EXPECT_EQ(all.allreduce(1, atomic_op::sum), ranks());
    const team same = half.shrink();
    ASSERT_EQ(same.size(), half.size());
    auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(same, 1);
    w.fence().or_throw();
    w.put(same.next(), disp{0}, round).or_throw();
    w.fence().or_throw();
    EXPECT_EQ(w.local()[0], round);
  }
}

TEST(Team, ManyComeAndGo) {
  world().barrier().or_throw();
  const std::size_t used = job().state()->memory().used();
  world().barrier().or_throw();
  for (int i = 0; i < 200; ++i) {
    const team t = world().split(i % 3 == 0 ? me() : 0);
    ASSERT_TRUE(t.barrier().ok());
  }
  world().barrier().or_throw();
  EXPECT_EQ(job().state()->memory().used(), used);
  world().barrier().or_throw();
}

TEST(Session, AnswersItsHints) {
  EXPECT_EQ(job().hints().get("mpi_memory_alloc_kinds"), "mpi,system");
  team t = world().split(0);
  EXPECT_FALSE(t.hints().contains("mpi_assert_memory_alloc_kinds"));
  t.assert_memory_alloc_kinds("system");
  EXPECT_EQ(t.hints().get("mpi_assert_memory_alloc_kinds"), "system");
  auto w = window<int>::allocate(t, 1, assertion::fence);
  EXPECT_EQ(w.hints().get("mpi_assert_memory_alloc_kinds"), "system");
  EXPECT_EQ(w.hints().get("mpi_memory_alloc_kinds"), "mpi,system");
  t.assert_memory_alloc_kinds("system,cuda");
  EXPECT_FALSE(t.hints().contains("mpi_assert_memory_alloc_kinds")) << "ignored as a whole";
}

TEST(Session, OneAtATime) {
  const team keep = world();
  EXPECT_EQ(catch_error([] { session second; }).code, errc::arg);
}

}  // namespace
}  // namespace oriel::testing
