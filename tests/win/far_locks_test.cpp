// Locks of ranks on other nodes, requested by several threads of one rank at once. Four ranks on
// two nodes.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using locked_window =
    window<std::uint64_t, assertion::shared_lock | assertion::exclusive_lock |
                              assertion::local_load_store | assertion::multi_element>;

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// The window-wide word is kept by rank 0. Rank 3 holds it for one target while its other thread
// requests it for another target, behind rank 1, whose lock_all keeps the door shut: the unlock of
// the first must not be taken for the second thread's giving up.
TEST(FarLocks, AnUnlockLeavesTheOtherThreadsRequestAlone) {
  constexpr int rounds = 5;
  auto w = locked_window::allocate(world(), 4);
  const rank first{1}, second{2};
  for (int round = 0; round < rounds; ++round) {
    world().barrier().or_throw();
    if (me() == 3) {
      auto held = w.lock_exclusive(first);
      EXPECT_TRUE(held.opened().ok());
      world().barrier().or_throw();
      pause(20);  // rank 1 waits, and has shut the door
      std::thread other([&] {
        auto epoch = w.lock_exclusive(second);
        EXPECT_TRUE(epoch.opened().ok()) << w.failure();
        w.fetch_add(second, disp{0}, 1);
        EXPECT_TRUE(epoch.end().ok());
      });
      pause(20);  // it waits behind rank 1
      EXPECT_TRUE(held.end().ok());
      other.join();
    } else {
      world().barrier().or_throw();
      if (me() == 1) {
        auto all = w.lock_all();
        EXPECT_TRUE(all.opened().ok()) << w.failure();
        EXPECT_TRUE(all.end().ok());
      }
    }
  }
  world().barrier().or_throw();
  if (me() == second.value) {
    EXPECT_EQ(w.local()[0], static_cast<std::uint64_t>(rounds));
  }
}

// Every thread locks targets at random, and counts under exclusive locks with a get and a put.
TEST(FarLocks, ThreadsOfEveryRankLoseNoCount) {
  constexpr int threads = 3;
  constexpr int turns = 60;
  const auto seed = std::random_device{}();
  auto w = locked_window::allocate(world(), 1);
  std::atomic<std::uint64_t> mine{0};
  const auto work = [&](int t) {
    std::mt19937 dice(seed + static_cast<unsigned>(me() * threads + t));
    for (int i = 0; i < turns; ++i) {
      const rank target{static_cast<int>(dice() % static_cast<unsigned>(ranks()))};
      // Two threads of one process cannot hold one target: whoever comes second is refused.
      if (dice() % 4 == 0) {
        const auto epoch = w.lock_shared(target);
        if (epoch.opened().ok()) static_cast<void>(w.get(target, disp{0}));
        continue;
      }
      auto epoch = w.lock_exclusive(target);
      if (!epoch.opened().ok()) {
        EXPECT_EQ(epoch.opened().code(), errc::rma_sync) << w.failure() << " seed " << seed;
        continue;
      }
      const std::uint64_t before = w.get(target, disp{0});
      w.put(target, disp{0}, before + 1).or_throw();
      mine.fetch_add(1);
    }
  };
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (std::thread& t : all) t.join();
  w.clear_failure();
  world().barrier().or_throw();
  const std::uint64_t done = world().allreduce(mine.load(), atomic_op::sum);
  std::uint64_t counted = 0;
  {
    const auto epoch = w.lock_all();
    counted = w.get(world().me(), disp{0});
  }
  EXPECT_EQ(world().allreduce(counted, atomic_op::sum), done) << "seed " << seed;
}

}  // namespace
}  // namespace oriel::testing
