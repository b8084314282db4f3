// What threads know of each other: by keys alone, in the order of releasing and acquiring.
#include "session/team/thread_clocks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace oriel::sessions {
namespace {

class ThreadClocks : public ::testing::Test {
 protected:
  // Runs `work` on a thread that has begun and ends.
  template <class Work>
  void on_a_thread(Work work) {
    std::thread([&] {
      clocks.begin();
      work();
      clocks.end();
    }).join();
  }
  // The calling thread has done something at `time`.
  void act(std::uint64_t time) {
    clocks.learn([&](known_times& k) { k.everything = time; });
  }
  std::uint64_t known() { return clocks.mine()->everything; }

  thread_clocks clocks{known_times{.ranks = {5, 6}}};
  char key = 0, other = 0;
};

TEST_F(ThreadClocks, BeginWithWhatTheFirstThreadKnewAndNoMore) {
  act(10);
  on_a_thread([&] {
    EXPECT_EQ(clocks.number(), 1);
    EXPECT_EQ(clocks.mine()->ranks, (std::vector<std::uint64_t>{5, 6}));
    EXPECT_EQ(known(), 0u);
  });
  EXPECT_EQ(clocks.number(), 0);
  EXPECT_EQ(known(), 10u);
}

TEST_F(ThreadClocks, LearnWhatWasReleasedByAKeyBeforeTheyAcquireIt) {
  act(10);
  clocks.release(&key);
  act(20);
  on_a_thread([&] {
    clocks.acquire(&other);
    EXPECT_EQ(known(), 0u);
    clocks.acquire(&key);
    EXPECT_EQ(known(), 10u);
    act(30);
    clocks.release(&other);
  });
  EXPECT_EQ(known(), 20u);
  clocks.acquire(&other);
  EXPECT_EQ(known(), 30u);
}

TEST_F(ThreadClocks, KnowNothingOfThreadsThatAreOver) {
  on_a_thread([&] {
    EXPECT_EQ(clocks.number(), 1);
    act(30);
  });
  EXPECT_EQ(known(), 0u);
  on_a_thread([&] {
    EXPECT_EQ(clocks.number(), 2);
    EXPECT_EQ(known(), 0u);
  });
}

TEST_F(ThreadClocks, KnowWhatTheThreadKnewWhoseNumberTheyHave) {
  for (std::size_t i = 1; i < most_threads; ++i) on_a_thread([&] { act(100 + i); });
  on_a_thread([&] {
    EXPECT_EQ(clocks.number(), 1);
    EXPECT_EQ(known(), 101u);
  });
}

TEST_F(ThreadClocks, ThatHaveNotBegunTellAllAndAreToldOfAll) {
  on_a_thread([&] {
    std::thread([&] {
      EXPECT_EQ(clocks.mine(), nullptr);
      EXPECT_EQ(clocks.number(), every_thread);
      act(40);
    }).join();
    EXPECT_EQ(known(), 40u);
  });
  EXPECT_EQ(known(), 40u);
  on_a_thread([&] { EXPECT_EQ(known(), 40u); });
  std::thread([&] { clocks.release(&key); }).join();
  act(50);
  on_a_thread([&] {
    clocks.acquire(&key);
    EXPECT_EQ(known(), 40u);
  });
}

TEST_F(ThreadClocks, AreNotToldApartBeyondTheMost) {
  std::vector<std::thread> all;
  std::mutex mutex;
  std::atomic<std::size_t> begun{0};
  std::size_t apart = 0;
  for (std::size_t i = 0; i < most_threads; ++i)
    all.emplace_back([&] {
      {
        const std::lock_guard hold(mutex);
        clocks.begin();
        if (clocks.mine() != nullptr) ++apart;
      }
      ++begun;
      while (begun != most_threads) std::this_thread::yield();
      const std::lock_guard hold(mutex);
      clocks.end();
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(apart, most_threads - 1);
  on_a_thread([&] { EXPECT_NE(clocks.number(), every_thread); });
}

}  // namespace
}  // namespace oriel::sessions
