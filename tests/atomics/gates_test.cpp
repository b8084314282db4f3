// Long accumulates by plain loops beside single atomics, between processes and threads.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>

#include "atomics/gates.hpp"
#include "sync/process_barrier.hpp"
#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace oriel::testing;
using atomics::gates;

constexpr int ranks = 3;
constexpr std::size_t elements = 64;

struct arena {
  alignas(64) std::byte block[gates::bytes(ranks)];
  std::atomic<std::uint32_t> dead[ranks];
  std::atomic<std::uint32_t> ready, held, done;
  std::atomic<std::uint32_t> inside;   // a rank is alone
  alignas(64) std::byte busy[32][64];  // lines that the ranks take from each other
  std::uint64_t words[elements];
};

struct gates_between : ::testing::Test {
  void SetUp() override {
    if (!sync::join_process_barriers()) GTEST_SKIP() << "the kernel has no membarrier";
  }
  gates of(int rank, const sync::peer_watch& watch) {
    arena* const all = memory.get();
    return gates(all->block, rank, ranks, watch, [all](int r) { return all->dead[r] == 0; });
  }
  // Rank 1, in a step that does not end: `enter(gates, step)`.
  template <class Enter>
  child one_that_stays(Enter enter) {
    child other([this, enter] {
      const told_watch watch;
      gates mine = of(1, watch);
      static_cast<void>(enter(mine, [this]() noexcept {
        memory->held.store(1);
        for (;;) pause();
        return errc::success;
      }));
      return 0;
    });
    EXPECT_TRUE(eventually([this] { return memory->held.load() != 0; }));
    return other;
  }
  child one_that_stays_alone() {
    return one_that_stays([](gates& g, auto step) { return g.alone(0, step); });
  }
  const shared<arena> memory;
};

errc add_alone(gates& at, std::uint64_t* words, std::size_t n) {
  return at.alone(0, [&]() noexcept {
    for (std::size_t i = 0; i < n; ++i) words[i] = words[i] + 1;
    return errc::success;
  });
}
errc add_single(gates& at, std::uint64_t& word) {
  return at.pass(0, [&]() noexcept {
    __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    return errc::success;
  });
}

TEST_F(gates_between, processes_lose_no_single_atomic_to_a_long_accumulate) {
  constexpr int longs = 4000;
  constexpr int singles = 800000;
  std::vector<child> others;
  for (int r = 1; r < ranks; ++r)
    others.emplace_back([this, r] {
      const told_watch watch;
      gates mine = of(r, watch);
      meet(memory->ready, ranks);
      for (int i = 0; i < singles; ++i)
        if (add_single(mine, memory->words[static_cast<std::size_t>(i) % elements]) !=
            errc::success)
          return 1;
      return 0;
    });
  const told_watch watch;
  gates mine = of(0, watch);
  meet(memory->ready, ranks);
  for (int i = 0; i < longs; ++i) {
    ASSERT_EQ(add_alone(mine, memory->words, elements), errc::success);
    if (i % 16 == 0) std::this_thread::yield();
  }
  for (child& each : others) EXPECT_EQ(each.join(), 0);
  const std::uint64_t sum = std::accumulate(memory->words, memory->words + elements, 0ull);
  EXPECT_EQ(sum, std::uint64_t{longs} * elements + std::uint64_t{singles} * (ranks - 1));
}

// A step looks whether another rank is alone for as long as it lasts. Stores to lines that others
// have keep the announcement in the processor's buffer, as far as no barrier empties that.
TEST_F(gates_between, no_single_atomic_is_under_way_while_a_rank_is_alone) {
  constexpr int turns = 1000;
  const auto crowd = [this](int value) {
    for (auto& line : memory->busy) *reinterpret_cast<volatile int*>(line) = value;
  };
  std::vector<child> others;
  for (int r = 1; r < ranks; ++r)
    others.emplace_back([this, r, crowd] {
      const told_watch watch;
      gates mine = of(r, watch);
      meet(memory->ready, ranks);
      int met = 0;
      while (memory->done == 0) {
        crowd(r);
        const errc e = mine.pass(0, [&]() noexcept {
          for (int look = 0; look < 3000; ++look)
            met += memory->inside.load(std::memory_order_relaxed) != 0 ? 1 : 0;
          return errc::success;
        });
        if (e != errc::success) return 2;
      }
      return met == 0 ? 0 : 1;
    });
  const told_watch watch;
  gates mine = of(0, watch);
  meet(memory->ready, ranks);
  for (int i = 0; i < turns; ++i) {
    crowd(0);
    EXPECT_EQ(mine.alone(0,
                         [&]() noexcept {
                           memory->inside.store(1, std::memory_order_relaxed);
                           for (int look = 0; look < 2000; ++look) sync::cpu_relax();
                           memory->inside.store(0, std::memory_order_relaxed);
                           return errc::success;
                         }),
              errc::success);
    while (mine.view().all[0].shut.load() != 0) add_single(mine, memory->words[0]);
  }
  memory->done = 1;
  for (child& each : others) EXPECT_EQ(each.join(), 0) << "1: another rank was alone";
}

// More threads than places: the last ones take turns.
TEST_F(gates_between, threads_beyond_the_places_lose_nothing) {
  constexpr int threads = static_cast<int>(gates::places) + 3;
  constexpr int rounds = 20000;
  const told_watch watch;
  gates mine = of(0, watch);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        EXPECT_EQ(add_single(mine, memory->words[static_cast<std::size_t>(i) % elements]),
                  errc::success);
        if (i % 1000 == 0) {
          EXPECT_EQ(add_alone(mine, memory->words, elements), errc::success);
        }
      }
    });
  for (std::thread& each : all) each.join();
  const std::uint64_t sum = std::accumulate(memory->words, memory->words + elements, 0ull);
  EXPECT_EQ(sum, std::uint64_t{threads} * (rounds + rounds / 1000 * elements));
}

TEST_F(gates_between, singles_open_a_gate_again_and_elements_shut_it) {
  const told_watch watch;
  gates mine = of(0, watch);
  const auto is_open = [&] { return mine.view().all[0].shut.load() == 0; };
  EXPECT_FALSE(mine.are_long(0, 1));
  EXPECT_FALSE(mine.are_long(0, 512));
  EXPECT_TRUE(mine.are_long(0, 1 << 20));
  ASSERT_EQ(add_alone(mine, memory->words, elements), errc::success);
  EXPECT_FALSE(is_open());
  EXPECT_TRUE(mine.are_long(0, 2)) << "the gate is shut already";
  EXPECT_EQ(mine.view().all[1].shut.load(), 0u) << "another rank's";
  int singles = 0;
  while (!is_open() && singles < 100000) {
    ASSERT_EQ(add_single(mine, memory->words[0]), errc::success);
    ++singles;
  }
  EXPECT_TRUE(is_open());
  EXPECT_FALSE(mine.are_long(0, 512));
  int longs = 1;
  while (!mine.are_long(0, 512) && longs < 100000) ++longs;
  EXPECT_LT(longs, 100) << "enough elements were due";
}

TEST_F(gates_between, a_rank_that_dies_alone_is_succeeded) {
  child other = one_that_stays_alone();
  other.kill();
  memory->dead[1] = 1;
  const told_watch watch;
  gates mine = of(0, watch);
  EXPECT_EQ(add_single(mine, memory->words[0]), errc::success);
  EXPECT_EQ(add_alone(mine, memory->words, elements), errc::success);
  EXPECT_EQ(memory->words[0], 2u);
}

TEST_F(gates_between, a_rank_that_dies_as_it_passes_is_not_waited_for) {
  child other = one_that_stays([](gates& g, auto step) { return g.pass(0, step); });
  const told_watch impatient(nullptr, true, std::chrono::milliseconds(50));
  gates first = of(2, impatient);
  EXPECT_EQ(add_alone(first, memory->words, elements), errc::timed_out) << "it is alive";
  EXPECT_EQ(memory->words[0], 0u);
  other.kill();
  memory->dead[1] = 1;
  const told_watch watch;
  gates mine = of(0, watch);
  EXPECT_EQ(add_alone(mine, memory->words, elements), errc::success);
  EXPECT_EQ(memory->words[0], 1u);
}

TEST_F(gates_between, a_turn_that_does_not_come_times_out) {
  child other = one_that_stays_alone();
  const told_watch impatient(nullptr, true, std::chrono::milliseconds(50));
  gates mine = of(0, impatient);
  EXPECT_EQ(add_single(mine, memory->words[0]), errc::timed_out);
  EXPECT_EQ(memory->words[0], 0u);
}

}  // namespace
}  // namespace oriel
