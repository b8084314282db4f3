// Notification counters: counting, visibility of what came before, wakes, dead peers.
#include "sync/notify_counter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "sync/notify_choice.hpp"
#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace sync;
using namespace oriel::testing;
using std::chrono::milliseconds;

struct board {
  notify_counter_state ping, pong;
  std::atomic<std::uint32_t> gate, dead;
  long data;  // plain: the counters order it
};

TEST(notify_counter, counts) {
  const shared<board> b;
  const told_watch watch;
  EXPECT_EQ(b->ping.read(), 0u);
  EXPECT_TRUE(b->ping.test(0));
  EXPECT_FALSE(b->ping.test(1));
  b->ping.add(3);
  b->ping.add(std::uint64_t{1} << 40);
  EXPECT_EQ(b->ping.read(), (std::uint64_t{1} << 40) + 3);
  EXPECT_TRUE(b->ping.test((std::uint64_t{1} << 40) + 3));
  EXPECT_FALSE(b->ping.test((std::uint64_t{1} << 40) + 4));
  EXPECT_EQ(b->ping.wait_at_least(3, watch), errc::success);
  EXPECT_EQ(b->pong.read(), 0u);
}

TEST(notify_counter, loses_no_addition_between_processes) {
  const shared<board> b;
  EXPECT_TRUE(in_processes(4, [&](int me) {
    meet(b->gate, 4);
    for (int i = 0; i < 100000; ++i) b->ping.add(static_cast<std::uint64_t>(me));
    return 0;
  }));
  EXPECT_EQ(b->ping.read(), 100000u * (0 + 1 + 2 + 3));
}

TEST(notify_counter, shows_what_was_stored_before) {
  constexpr std::uint64_t rounds = 20000;
  const shared<board> b;
  const told_watch watch;
  child partner([&] {
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      if (b->ping.wait_at_least(i, watch) != errc::success) return 1;
      if (b->data != static_cast<long>(2 * i - 1)) return 2;
      b->data = static_cast<long>(2 * i);
      b->pong.add(1);
    }
    return 0;
  });
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    b->data = static_cast<long>(2 * i - 1);
    b->ping.add(1);
    ASSERT_EQ(b->pong.wait_at_least(i, watch), errc::success);
    ASSERT_EQ(b->data, static_cast<long>(2 * i));
  }
  EXPECT_EQ(partner.join(), 0);
}

TEST(notify_counter, wakes_a_sleeper_at_once) {
  const shared<board> b;
  const told_watch watch;
  EXPECT_TRUE(wakes_a_sleeper([&](std::uint64_t round) { b->ping.wait_at_least(round, watch); },
                              [&](std::uint64_t) { b->ping.add(1); }));
}

TEST(notify_counter, gives_up_on_a_dead_peer) {
  const shared<board> b;
  const told_watch watch(&b->dead);
  b->dead = 1;
  const auto begin = steady::now();
  EXPECT_EQ(b->ping.wait_at_least(1, watch), errc::peer_failed);
  EXPECT_LT(steady::now() - begin, milliseconds(1000));
  b->ping.add(1);
  EXPECT_EQ(b->ping.wait_at_least(1, watch), errc::success) << "what has arrived still counts";
}

struct boards {
  std::array<notify_counter_state, 4> counters;
  std::atomic<std::uint32_t> dead;
};
constexpr std::array<std::uint64_t, 2> one_each{1, 1};

TEST(notify_choice, returns_the_lowest_that_is_reached) {
  const shared<boards> b;
  const told_watch watch;
  notify_choice choice(b->counters.data(), 2, one_each);
  EXPECT_FALSE(choice.reached());
  b->counters[0].add(1);
  b->counters[1].add(1);
  EXPECT_FALSE(choice.reached()) << "they are not waited for";
  b->counters[3].add(1);
  EXPECT_EQ(choice.wait(watch), errc::success);
  EXPECT_EQ(choice.reached(), 3u);
  b->counters[2].add(1);
  EXPECT_EQ(choice.reached(), 2u);
}

// By each of its counters, and by refusals, while another thread waits for others of them.
TEST(notify_choice, is_woken_at_once) {
  for (const std::size_t by : {2u, 3u}) {
    const shared<boards> b;
    const told_watch watch;
    std::thread other([&] {
      notify_choice choice(b->counters.data(), 0, one_each);
      choice.wait(watch);
    });
    EXPECT_TRUE(wakes_a_sleeper(
        [&](std::uint64_t round) {
          const std::array<std::uint64_t, 2> at_least{round, round};
          notify_choice choice(b->counters.data(), 2, at_least);
          choice.wait(watch);
        },
        [&](std::uint64_t round) {
          if (round % 2 == 0)
            b->counters[by].add(1);
          else
            b->counters[by].refuse(errc::arg);
        }));
    b->counters[1].add(1);
    other.join();
  }
}

TEST(notify_choice, returns_why_one_was_refused) {
  const shared<boards> b;
  const told_watch watch;
  b->counters[3].refuse(errc::rma_range);
  notify_choice choice(b->counters.data(), 2, one_each);
  EXPECT_EQ(choice.wait(watch), errc::rma_range);
  b->counters[2].add(1);
  EXPECT_EQ(choice.wait(watch), errc::success) << "the other has come";
}

TEST(notify_choice, gives_up_on_a_dead_peer) {
  const shared<boards> b;
  const told_watch watch(&b->dead);
  b->dead = 1;
  const auto begin = steady::now();
  notify_choice choice(b->counters.data(), 2, one_each);
  EXPECT_EQ(choice.wait(watch), errc::peer_failed);
  EXPECT_LT(steady::now() - begin, milliseconds(1000));
  b->counters[3].add(1);
  EXPECT_EQ(choice.wait(watch), errc::success) << "what has arrived still counts";
}

}  // namespace
}  // namespace oriel
