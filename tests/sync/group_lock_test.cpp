// The lock of passive-target epochs: exclusion, sharing, wakes, reentry and dead peers. Who gets in
// how often is in group_lock_fairness_test.cpp.
#include "sync/group_lock.hpp"

#include <gtest/gtest.h>

#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace sync;
using namespace oriel::testing;
using std::chrono::milliseconds;

struct board {
  group_lock_state lock;
  std::atomic<std::uint32_t> gate, dead, broken;
  std::atomic<int> readers, writers, most_readers, most_writers;
  volatile long plain[2];  // guarded by the lock alone
};

TEST(group_lock, starts_free_in_zeroed_memory) {
  const shared<board> b;
  EXPECT_EQ(b->lock.owner(), -1);
  EXPECT_TRUE(try_enter(b->lock, lock_group::exclusive, capacity::one, 7));
  EXPECT_EQ(b->lock.owner(), 7);
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::success);
  EXPECT_EQ(b->lock.owner(), -1);
}

TEST(group_lock, admits_whom_the_groups_allow) {
  const auto second_gets_in = [](lock_group first, capacity c1, lock_group second, capacity c2) {
    const shared<board> b;
    EXPECT_TRUE(try_enter(b->lock, first, c1, 0));
    const bool in = try_enter(b->lock, second, c2, 1);
    if (in) {
      EXPECT_EQ(leave(b->lock, second), errc::success);
    }
    EXPECT_EQ(leave(b->lock, first), errc::success);
    EXPECT_TRUE(try_enter(b->lock, second, c2, 1)) << "the first has left";
    return in;
  };
  const auto one = capacity::one, many = capacity::many;
  EXPECT_TRUE(second_gets_in(lock_group::shared, one, lock_group::shared, one));
  EXPECT_FALSE(second_gets_in(lock_group::shared, one, lock_group::exclusive, one));
  EXPECT_FALSE(second_gets_in(lock_group::exclusive, one, lock_group::shared, one));
  EXPECT_FALSE(second_gets_in(lock_group::exclusive, one, lock_group::exclusive, one));
  EXPECT_TRUE(second_gets_in(lock_group::exclusive, many, lock_group::exclusive, many));
  EXPECT_FALSE(second_gets_in(lock_group::exclusive, many, lock_group::shared, many));
  EXPECT_FALSE(second_gets_in(lock_group::shared, many, lock_group::exclusive, many));
}

TEST(group_lock, refuses_to_be_left_by_nobody) {
  const shared<board> b;
  EXPECT_EQ(leave(b->lock, lock_group::shared), errc::rma_sync);
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::rma_sync);
  ASSERT_TRUE(try_enter(b->lock, lock_group::shared, capacity::one, 0));
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::rma_sync);
  EXPECT_EQ(leave(b->lock, lock_group::shared), errc::success);
  EXPECT_TRUE(try_enter(b->lock, lock_group::exclusive, capacity::one, 0)) << "it still works";
}

TEST(group_lock, tells_reentry_when_asked) {
  const shared<board> b;
  const told_watch watch;
  const auto again = [&](int rank) {
    return enter(b->lock, lock_group::exclusive, capacity::one, rank, watch, reentry::refused);
  };
  EXPECT_EQ(again(3), errc::success);
  child itself([&] { return again(3) == errc::rma_sync ? 0 : 1; });
  EXPECT_EQ(itself.join(std::chrono::seconds(2)), 0);
  child other([&] { return again(4) == errc::success ? 0 : 1; });  // waits; it is not its own
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(b->lock.owner(), 3);
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::success);
  EXPECT_EQ(other.join(), 0);
}

class contended_lock : public ::testing::TestWithParam<int> {};

TEST_P(contended_lock, excludes_all_others) {
  const int ranks = GetParam();
  constexpr long rounds = 200000;
  const shared<board> b;
  const told_watch watch(nullptr, ranks > 2);
  EXPECT_TRUE(in_processes(ranks, [&](int me) {
    meet(b->gate, static_cast<std::uint32_t>(ranks));
    for (long i = 0; i < rounds; ++i) {
      if (enter(b->lock, lock_group::exclusive, capacity::one, me, watch) != errc::success)
        return 1;
      const long seen = b->plain[0];
      if (b->plain[1] != seen || b->lock.owner() != me) return 2;
      b->plain[0] = seen + 1;
      b->plain[1] = seen + 1;
      if (leave(b->lock, lock_group::exclusive) != errc::success) return 3;
    }
    return 0;
  }));
  EXPECT_EQ(b->plain[0], ranks * rounds);
}

void raise_to(std::atomic<int>& most, int seen) {
  int now = most.load();
  while (now < seen && !most.compare_exchange_weak(now, seen)) {
  }
}

// Each rank enters by either group at random; those inside count themselves and look around.
int mingle(board& b, int me, capacity c, int rounds, const sync::peer_watch& watch) {
  std::uint32_t random = static_cast<std::uint32_t>(me) * 7919 + 1;
  for (int i = 0; i < rounds; ++i) {
    random = random * 1664525 + 1013904223;
    const lock_group r = random >> 31 == 0 ? lock_group::shared : lock_group::exclusive;
    if (enter(b.lock, r, c, me, watch) != errc::success) return 1;
    auto& mine = r == lock_group::shared ? b.readers : b.writers;
    auto& theirs = r == lock_group::shared ? b.writers : b.readers;
    const int inside = mine.fetch_add(1) + 1;
    if (theirs.load() != 0) return 2;
    if (r == lock_group::exclusive && c == capacity::one && inside != 1) return 3;
    raise_to(r == lock_group::shared ? b.most_readers : b.most_writers, inside);
    if (random % 64 == 0) sched_yield();
    if (theirs.load() != 0) return 4;
    mine.fetch_sub(1);
    if (leave(b.lock, r) != errc::success) return 5;
  }
  return 0;
}

TEST_P(contended_lock, keeps_the_groups_apart) {
  const int ranks = GetParam();
  for (const capacity c : {capacity::one, capacity::many}) {
    const shared<board> b;
    const told_watch watch(nullptr, ranks > 2);
    EXPECT_TRUE(in_processes(ranks, [&](int me) {
      meet(b->gate, static_cast<std::uint32_t>(ranks));
      return mingle(*b, me, c, 50000, watch);
    }));
    EXPECT_GE(b->most_readers.load(), 2) << "nobody ever shared the lock";
    if (c == capacity::many) {
      EXPECT_GE(b->most_writers.load(), 2);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(ranks, contended_lock, ::testing::Values(2, 4));

TEST(group_lock, excludes_threads_of_one_process) {
  const shared<board> b;
  const told_watch watch;
  in_threads(4, [&](int) {
    for (int i = 0; i < 50000; ++i) {
      ASSERT_EQ(enter(b->lock, lock_group::exclusive, capacity::one, 0, watch), errc::success);
      b->plain[0] = b->plain[0] + 1;
      ASSERT_EQ(leave(b->lock, lock_group::exclusive), errc::success);
    }
  });
  EXPECT_EQ(b->plain[0], 200000);
}

TEST(group_lock, wakes_a_sleeper_at_once) {
  const shared<board> b;
  const told_watch watch;
  ASSERT_EQ(enter(b->lock, lock_group::exclusive, capacity::one, 0, watch), errc::success);
  // Whoever is woken is in, and is the next round's holder.
  EXPECT_TRUE(wakes_a_sleeper(
      [&](std::uint64_t) { enter(b->lock, lock_group::exclusive, capacity::one, 1, watch); },
      [&](std::uint64_t) { leave(b->lock, lock_group::exclusive); }));
}

// A peer that dies inside, or while it waits with the door shut, ends every wait.
class dead_peer : public ::testing::TestWithParam<lock_group> {};

TEST_P(dead_peer, inside_is_noticed) {
  const shared<board> b;
  const told_watch watch(&b->dead);
  child holder(
      [&] { return enter(b->lock, GetParam(), capacity::one, 1, watch) == errc::success ? 0 : 1; });
  ASSERT_EQ(holder.join(), 0);
  std::thread fate([&] {
    std::this_thread::sleep_for(milliseconds(50));
    b->dead = 1;
  });
  const auto begin = steady::now();
  const errc got = enter(b->lock, lock_group::exclusive, capacity::one, 0, watch);
  const auto took = steady::now() - begin;
  fate.join();
  EXPECT_EQ(got, errc::peer_failed);
  EXPECT_GE(took, milliseconds(40)) << "gave up on the living";
  EXPECT_LT(took, milliseconds(10000));
  EXPECT_FALSE(try_enter(b->lock, lock_group::exclusive, capacity::one, 0));
}
INSTANTIATE_TEST_SUITE_P(of_a_group, dead_peer,
                         ::testing::Values(lock_group::shared, lock_group::exclusive));

// Where a busy machine lets 300 ms go by, the door that the dead one has shut is opened, and the
// reader is in: then once more.
TEST(group_lock, a_dead_waiter_ends_waits) {
  errc got = errc::success;
  for (int attempt = 0; attempt < 10 && got == errc::success; ++attempt) {
    const shared<board> b;
    const told_watch watch(&b->dead);
    ASSERT_TRUE(try_enter(b->lock, lock_group::shared, capacity::one, 0));
    child writer([&] {
      enter(b->lock, lock_group::exclusive, capacity::one, 1, watch);
      return 0;
    });
    // It shuts the door after a while: readers that could come in no longer can.
    ASSERT_TRUE(eventually([&] {
      if (!try_enter(b->lock, lock_group::shared, capacity::one, 2)) return true;
      leave(b->lock, lock_group::shared);
      return false;
    }));
    writer.kill();
    b->dead = 1;
    const auto begin = steady::now();
    got = enter(b->lock, lock_group::shared, capacity::one, 2, watch);
    EXPECT_LT(steady::now() - begin, milliseconds(1000));
  }
  EXPECT_EQ(got, errc::peer_failed);
}

}  // namespace
}  // namespace oriel
