// The simulation itself: what a seed decides is repeated, what waits for ever is found, and steps,
// deaths and stores come in the orders that the schedule allows, in all of them.
#include "tests/sim/scheduler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "sync/process_own.hpp"
#include "sync/system.hpp"

namespace oriel::sim {
namespace {

using word = std::atomic<std::uint32_t>;

struct memory {
  alignas(64) std::array<word, 16> words{};
};

// Two processes that add to a word, each by a load and a store.
verdict race(std::uint64_t seed, std::uint32_t& sum) {
  memory all;
  scheduler run({.seed = seed, .stores = visibility::at_once});
  run.share(&all, sizeof all, "words");
  for (int p = 0; p < 2; ++p)
    run.start(p, "adder " + std::to_string(p), [&all] {
      for (int i = 0; i < 2; ++i) all.words[0].store(all.words[0].load() + 1);
    });
  const verdict v = run.run();
  sum = all.words[0].load();
  return v;
}

TEST(Scheduler, TheSameSeedIsTheSameRun) {
  std::set<std::uint64_t> traces;
  std::set<std::uint32_t> sums;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::uint32_t sum = 0, again = 0;
    const verdict v = race(seed, sum), w = race(seed, again);
    EXPECT_EQ(v.how, ending::ended) << v.why;
    EXPECT_EQ(v.trace, w.trace);
    EXPECT_EQ(v.steps, w.steps);
    EXPECT_EQ(sum, again);
    traces.insert(v.trace);
    sums.insert(sum);
  }
  EXPECT_GT(traces.size(), 50u) << "seeds differ in what they do";
  EXPECT_EQ(sums, (std::set<std::uint32_t>{2, 3, 4})) << "and visit every outcome";
}

// Of the threads of the tests below.
thread_local int counted = 7;
int ends = 0;
struct of_thread {
  ~of_thread() { ends += counted; }
  int value = 0;
};
thread_local of_thread held;
constinit sync::process_own<std::atomic<int>> of_process;

TEST(Scheduler, ThreadsHaveTheirOwnVariablesAndExceptions) {
  counted = 100;
  ends = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    memory all;
    scheduler run({.seed = seed});
    run.share(&all, sizeof all, "words");
    for (int t = 0; t < 3; ++t)
      run.start(0, "thread " + std::to_string(t), [&all, t] {
        EXPECT_EQ(counted, 7);
        EXPECT_NE(sync::id_of_this_thread(), sync::thread::id{}) << "which is nobody's";
        for (int i = 1; i <= 5; ++i) {
          counted += t;
          ++held.value;
          try {
            all.words[0].fetch_add(1);
            throw t;
          } catch (int thrown) {
            EXPECT_EQ(thrown, t);
            all.words[0].fetch_add(1);  // others throw, and are done with it, meanwhile
            try {
              throw;
            } catch (int again) {
              EXPECT_EQ(again, t);
            }
          }
          EXPECT_EQ(held.value, i);
          EXPECT_EQ(counted, 7 + i * t);
        }
      });
    const verdict v = run.run();
    EXPECT_EQ(v.how, ending::ended) << v.why;
  }
  EXPECT_EQ(counted, 100) << "of the thread that simulates";
  EXPECT_EQ(ends, 50 * (3 * 7 + 5 * 3)) << "objects end with their threads, among their variables";
}

TEST(Scheduler, ProcessesHaveTheirOwnState) {
  scheduler run({.seed = 3});
  std::array<int, 3> found{};
  for (int p = 0; p < 3; ++p)
    for (int t = 0; t < 2; ++t)
      run.start(p, "thread", [&found, p] {
        for (int i = 0; i < 4; ++i) {
          sync::yield();
          found[static_cast<std::size_t>(p)] = of_process->fetch_add(p) + p;
        }
      });
  EXPECT_EQ(run.run().how, ending::ended);
  EXPECT_EQ(found, (std::array<int, 3>{0, 8, 16}));
}

TEST(Scheduler, WhoWaitsForWorkMayWaitForEver) {
  scheduler run({.seed = 3});
  int served = 0;
  run.start_server(1, "server", [&] {
    for (;;) {
      scheduler::active()->sleep("waits for work", &served, std::nullopt);
      ++served;
    }
  });
  run.start(0, "client", [&] {
    sync::sleep_for(std::chrono::milliseconds(1));
    scheduler::active()->wake(&served);
  });
  EXPECT_EQ(run.run().how, ending::ended);
  EXPECT_EQ(served, 1);
}

TEST(Scheduler, WhoWaitsForEverIsNamed) {
  memory all;
  scheduler run({.seed = 7, .sleeps_end = false});
  run.share(&all, sizeof all, "words");
  run.start(0, "the waiter", [&all] {
    while (all.words[3].load() == 0) sync::futex_wait(all.words[3], 0, std::chrono::seconds(1));
  });
  run.start(1, "the forgetful", [&all] { all.words[3].store(1); });
  run.start(2, "the other waiter",
            [&all] { sync::futex_wait(all.words[5], 0, std::chrono::seconds(1)); });
  const verdict v = run.run();
  EXPECT_EQ(v.how, ending::deadlock);
  EXPECT_NE(v.why.find("the other waiter sleeps words+0x14"), std::string::npos) << v.why;
  EXPECT_NE(v.why.find("the forgetful has ended"), std::string::npos) << v.why;
  EXPECT_NE(v.why.find("\nthe other waiter: sync::futex_wait\n"), std::string::npos) << v.why;
}

TEST(Scheduler, WhatGoesOnForEverIsFound) {
  memory all;
  scheduler run({.most_steps = 1000});
  run.share(&all, sizeof all, "words");
  run.start(0, "the waiter", [&all] {
    while (all.words[1].load() == 0) sync::yield();
  });
  const verdict v = run.run();
  EXPECT_EQ(v.how, ending::endless);
  EXPECT_NE(v.why.find("the waiter"), std::string::npos) << v.why;
}

TEST(Scheduler, TimeLeapsWhenAllSleep) {
  scheduler run({});
  sync::clock::time_point woken[2];
  for (int p = 0; p < 2; ++p)
    run.start(p, "sleeper", [&woken, p] {
      sync::sleep_for(std::chrono::seconds(50 + p));
      woken[p] = sync::clock::now();
    });
  EXPECT_EQ(run.run().how, ending::ended);
  EXPECT_GE(woken[1] - woken[0], std::chrono::milliseconds(999));
  EXPECT_LE(woken[1] - woken[0], std::chrono::milliseconds(1001));
}

TEST(Scheduler, ASleeperIsWokenWhereverTheWakeFalls) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    memory all;
    scheduler run({.seed = seed, .sleeps_end = false});
    run.share(&all, sizeof all, "words");
    run.start(0, "the waiter", [&all] {
      while (all.words[0].load() == 0) sync::futex_wait(all.words[0], 0, std::chrono::seconds(1));
    });
    run.start(1, "the waker", [&all] {
      all.words[0].store(1);
      sync::futex_wake_all(all.words[0]);
    });
    const verdict v = run.run();
    ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
  }
}

// Each of two stores, then loads what the other stores. Returns what they read.
std::set<std::array<std::uint32_t, 2>> dekker(visibility stores, std::memory_order order) {
  std::set<std::array<std::uint32_t, 2>> read;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    memory all;
    std::array<std::uint32_t, 2> seen{};
    scheduler run({.seed = seed, .stores = stores});
    run.share(&all, sizeof all, "words");
    for (std::size_t p = 0; p < 2; ++p)
      run.start(static_cast<int>(p), "process", [&all, &seen, p, order] {
        all.words[p].store(1, order);
        seen[p] = all.words[1 - p].load();
      });
    EXPECT_EQ(run.run().how, ending::ended);
    read.insert(seen);
  }
  return read;
}

TEST(Scheduler, AStoreIsSeenLateButForAFence) {
  const std::array<std::uint32_t, 2> neither{0, 0};
  EXPECT_TRUE(dekker(visibility::in_order, std::memory_order_release).contains(neither));
  EXPECT_FALSE(dekker(visibility::in_order, std::memory_order_seq_cst).contains(neither));
  EXPECT_FALSE(dekker(visibility::at_once, std::memory_order_release).contains(neither));
  EXPECT_FALSE(dekker(visibility::weak, std::memory_order_seq_cst).contains(neither));
}

// Returns whether a reader has seen the second of two stores without the first.
bool message_passing(visibility stores, std::memory_order second) {
  bool early = false;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    memory all;
    scheduler run({.seed = seed, .stores = stores});
    run.share(&all, sizeof all, "words");
    run.start(0, "writer", [&all, second] {
      all.words[0].store(1, std::memory_order_relaxed);
      all.words[1].store(1, second);
    });
    run.start(1, "reader", [&all, &early] {
      if (all.words[1].load() == 1 && all.words[0].load() == 0) early = true;
    });
    EXPECT_EQ(run.run().how, ending::ended);
  }
  return early;
}

TEST(Scheduler, StoresKeepTheOrderThatTheyDemand) {
  EXPECT_FALSE(message_passing(visibility::in_order, std::memory_order_relaxed));
  EXPECT_TRUE(message_passing(visibility::weak, std::memory_order_relaxed));
  EXPECT_FALSE(message_passing(visibility::weak, std::memory_order_release));
}

TEST(Scheduler, AKilledProcessMakesNoStepMore) {
  for (std::uint64_t step = 1; step <= 6; ++step) {
    memory all;
    scheduler run({.seed = step, .stores = visibility::at_once});
    run.share(&all, sizeof all, "words");
    run.kill_at(0, step);
    run.start(0, "victim", [&all] {
      for (std::uint32_t i = 1; i <= 10; ++i) all.words[0].store(i);
    });
    run.start(1, "survivor", [&all] { all.words[1].store(1); });
    EXPECT_EQ(run.run().how, ending::ended);
    EXPECT_EQ(all.words[0].load(), step - 1);
    EXPECT_EQ(all.words[1].load(), 1u);
    EXPECT_FALSE(run.alive(0));
  }
}

TEST(Scheduler, AProcessIsKilledWithinStepsFromNow) {
  for (std::uint64_t steps = 1; steps <= 6; ++steps) {
    memory all;
    scheduler run({.seed = steps, .stores = visibility::at_once});
    run.share(&all, sizeof all, "words");
    run.start(0, "victim", [&] {
      for (std::uint32_t i = 1; i <= 20; ++i) {
        if (i == 11) run.kill_within(steps);
        all.words[0].store(i);
      }
    });
    EXPECT_EQ(run.run().how, ending::ended);
    EXPECT_EQ(all.words[0].load(), 9 + steps);
    EXPECT_FALSE(run.alive(0));
  }
}

TEST(Scheduler, AStoppedProcessGoesOnLater) {
  memory all;
  scheduler run({.seed = 3});
  run.share(&all, sizeof all, "words");
  run.stop_at(0, 2, std::chrono::seconds(3));
  run.start(0, "stopped", [&all] {
    for (std::uint32_t i = 1; i <= 4; ++i) all.words[0].store(i);
  });
  const verdict v = run.run();
  EXPECT_EQ(v.how, ending::ended);
  EXPECT_GE(v.took, std::chrono::seconds(3));
  EXPECT_EQ(all.words[0].load(), 4u);
}

TEST(Scheduler, LocksConditionsAndThreadsAreTheSimulations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    memory all;
    scheduler run({.seed = seed});
    run.share(&all, sizeof all, "words");
    run.start(0, "parent", [&] {
      sync::mutex mutex;
      sync::condition_variable changed;
      int ready = 0;
      sync::thread child([&] {
        const std::lock_guard hold(mutex);
        ready = 1;
        changed.notify_all();
      });
      {
        std::unique_lock hold(mutex);
        changed.wait(hold, [&ready] { return ready == 1; });
        ready = 2;
      }
      child.join();
      all.words[0].store(static_cast<std::uint32_t>(ready));
    });
    const verdict v = run.run();
    ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
    ASSERT_EQ(all.words[0].load(), 2u);
  }
}

TEST(Scheduler, AFailureEndsTheRunAndShowsItsSteps) {
  memory all;
  scheduler run({.seed = 5});
  run.share(&all, sizeof all, "words");
  run.start(0, "the one", [&all] {
    all.words[2].store(9);
    scheduler::active()->fail("it is 9");
  });
  const verdict v = run.run();
  EXPECT_EQ(v.how, ending::failed);
  EXPECT_NE(v.why.find("it is 9"), std::string::npos);
  EXPECT_NE(v.why.find("the one stores words+0x8 (9)"), std::string::npos) << v.why;
}

}  // namespace
}  // namespace oriel::sim
