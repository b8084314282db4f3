// Epochs between processes: what they order, what they exclude, and what they refuse.
#include <chrono>
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set both_locks =
    assertion::shared_lock | assertion::exclusive_lock | assertion::local_load_store;

TEST(Locks, ExclusiveOnesExcludeEveryoneIncludingTheOwner) {
  auto w = window<std::uint64_t, both_locks>::allocate(world(), 2);
  const rank zero{0};
  constexpr int each = 2000;
  for (int i = 0; i < each; ++i) {
    auto epoch = w.lock_exclusive(zero);
    ASSERT_TRUE(epoch.opened().ok()) << w.failure();
    // Not atomic: only the lock keeps it right.
    w.put(zero, disp{0}, w.get(zero, disp{0}) + 1).or_throw();
  }
  world().barrier().or_throw();
  auto epoch = w.lock_shared(zero);
  EXPECT_EQ(w.get(zero, disp{0}), static_cast<std::uint64_t>(each * ranks()));
  epoch.end().or_throw();
  world().barrier().or_throw();
}

TEST(Locks, LockAllConflictsWithExclusive) {
  auto w = window<std::uint64_t, both_locks>::allocate(world(), 1);
  const rank last{ranks() - 1};
  for (int i = 0; i < 300; ++i) {
    if ((i + me()) % 2 == 0) {
      auto epoch = w.lock_exclusive(last);
      const std::uint64_t before = w.get(last, disp{0});
      w.put(last, disp{0}, before + 1).or_throw();
      w.put(last, disp{0}, before).or_throw();
    } else {
      auto epoch = w.lock_all();
      ASSERT_EQ(w.get(last, disp{0}), 0u) << "a reader saw an exclusive epoch's middle";
    }
  }
  world().barrier().or_throw();
}

TEST(Locks, RefuseNestingAndStrayUnlocks) {
  auto w = window<int, both_locks>::allocate(world(), 1);
  const rank self{me()};
  auto epoch = w.lock_shared(self);
  EXPECT_EQ(w.lock_shared(self).opened().code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.lock_exclusive(self).opened().code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.lock_all().opened().code(), errc::rma_sync);
  w.clear_failure();
  epoch.end().or_throw();
  EXPECT_EQ(w.any().unlock(self).code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.any().unlock_all().code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.lock_shared(rank{ranks()}).opened().code(), errc::rank);
  w.clear_failure();
  auto all = w.lock_all();
  EXPECT_EQ(w.lock_shared(self).opened().code(), errc::rma_sync);
  w.clear_failure();
}

TEST(Locks, NoCheckSkipsTheProtocol) {
  auto w = window<int, both_locks>::allocate(world(), 1);
  auto one = w.lock_exclusive(rank{0}, nocheck);
  EXPECT_TRUE(one.opened().ok());
  EXPECT_TRUE(one.end().ok());
  auto all = w.lock_all(nocheck);
  EXPECT_TRUE(all.end().ok());
  world().barrier().or_throw();
}

TEST(Flush, MakesDekkerWork) {
  auto w = window<int, both_locks>::allocate(world(), 2);
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const rank zero{0};
  for (int i = 0; i < 2000; ++i) {
    int other = -1;
    {
      auto epoch = w.lock_all();
      if (me() < 2) {
        w.put(zero, disp{static_cast<std::uint64_t>(me())}, 1).or_throw();
        w.flush(zero).or_throw();
        w.get(zero, disp{static_cast<std::uint64_t>(1 - me())}, other).or_throw();
        w.flush_local(zero).or_throw();
      }
    }
    const auto seen = world().allgather(other);
    ASSERT_TRUE(seen[0] == 1 || seen[1] == 1) << "both missed the other's put";
    if (me() == 0) w.local()[0] = w.local()[1] = 0;
    world().barrier().or_throw();
  }
}

TEST(Fence, OrdersPutsOnAllRanks) {
  auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(world(), 8);
  w.fence(noprecede).or_throw();
  for (int i = 1; i <= 200; ++i) {
    w.put(world().next(), disp{static_cast<std::uint64_t>(i % 8)}, i * 10 + me()).or_throw();
    ASSERT_TRUE(w.fence().ok()) << w.failure();
    ASSERT_EQ(w.local()[static_cast<std::size_t>(i % 8)], i * 10 + world().previous().value);
    w.fence().or_throw();
  }
  w.fence(nosucceed).or_throw();
}

TEST(Pscw, MatchesGroupsInBothDirections) {
  auto w = window<int, assertion::pscw | assertion::local_load_store>::allocate(world(), 4);
  std::vector<rank> others;
  for (int r = 0; r < ranks(); ++r)
    if (r != me()) others.push_back(rank{r});
  for (int i = 1; i <= 100; ++i) {
    // Rank i % ranks is everyone's target.
    const int target = i % ranks();
    if (me() == target) {
      ASSERT_TRUE(w.post(others).ok());
      if (i % 2 == 0) {
        while (!w.test()) std::this_thread::yield();
      } else {
        ASSERT_TRUE(w.wait().ok());
      }
      for (int r = 0; r < ranks(); ++r)
        if (r != me()) {
          ASSERT_EQ(w.local()[static_cast<std::size_t>(r % 4)], i);
        }
    } else {
      const std::array to{rank{target}};
      auto epoch = w.start(to);
      ASSERT_TRUE(epoch.opened().ok());
      w.put(to[0], disp{static_cast<std::uint64_t>(me() % 4)}, i).or_throw();
      ASSERT_TRUE(epoch.end().ok());
    }
  }
  world().barrier().or_throw();
}

TEST(Pscw, RefusesWhatDoesNotFit) {
  auto w = window<int, assertion_set(assertion::pscw)>::allocate(world(), 1);
  EXPECT_EQ(w.wait().code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.any().complete().code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_EQ(w.post(std::array{rank{0}, rank{0}}).code(), errc::rank);
  w.clear_failure();
  EXPECT_EQ(w.start(std::array{rank{ranks()}}).opened().code(), errc::rank);
  w.clear_failure();
  EXPECT_TRUE(w.post({}).ok());
  EXPECT_EQ(w.post({}).code(), errc::rma_sync);
  w.clear_failure();
  EXPECT_TRUE(w.wait().ok());
}

// Every accumulate is atomic among all of them, whatever route it takes: sums are exact, and the
// values fetched are all different.
TEST(Contention, FetchAddGivesEveryValueOnce) {
  for (const bool shared : {true, false}) {
    constexpr std::size_t each = 3000;
    std::vector<std::uint64_t> own(1);
    auto w = shared ? window<std::uint64_t>::allocate(world(), 1, both_locks)
                    : window<std::uint64_t>::create(world(), std::span(own), both_locks);
    std::vector<std::uint64_t> seen(each);
    auto epoch = w.lock_all();
    for (auto& s : seen) s = w.fetch_add(rank{0}, disp{0}, 1);
    epoch.end().or_throw();
    EXPECT_EQ(w.failure(), "");
    std::vector<std::uint64_t> all(each * static_cast<std::size_t>(ranks()));
    world().allgather_bytes(seen.data(), each * 8, all.data()).or_throw();
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
    world().barrier().or_throw();
  }
}

TEST(PassiveTarget, NeedsNoCallOfTheTarget) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  std::vector<std::uint64_t> own(4, 0);
  auto w = window<std::uint64_t>::create(world(), std::span(own), both_locks);
  if (me() == 0) {
    // Computes until the others' atomics have arrived, without a call to oriel.
    auto& arrived = reinterpret_cast<std::atomic<std::uint64_t>&>(own[0]);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto expected = static_cast<std::uint64_t>(100 * (ranks() - 1));
    while (arrived.load() != expected && std::chrono::steady_clock::now() < limit) {
    }
    EXPECT_EQ(arrived.load(), expected);
  } else {
    for (int i = 0; i < 100; ++i) {
      auto epoch = w.lock_exclusive(rank{0});
      w.put(rank{0}, disp{1}, 1).or_throw();
      w.fetch_add(rank{0}, disp{0}, 1);
    }
    EXPECT_EQ(w.failure(), "");
  }
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
