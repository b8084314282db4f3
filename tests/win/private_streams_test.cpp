// Small puts that follow one another to memory that only its owner has mapped: they may wait at the
// origin, and are complete when what makes them so returns. The first goes by the kernel or, where
// that is slower, by the owner.
#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"
#include "win/window_core.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::exclusive_lock | assertion::fence |
                         assertion::pscw | assertion::notify | assertion::local_load_store;
constexpr std::size_t room = 1000;  // elements that one rank puts to another
constexpr int until_owners_are_asked = 30;

using word = std::uint64_t;

// Every rank has `room` elements for each; rank r's begin at r * room.
struct private_window {
  std::vector<word> memory = std::vector<word>(room * static_cast<std::size_t>(ranks()));
  window<word, promise> w = make();
  window<word, promise> make() {
    window_options options;
    options.notify_counters = 1;
    options.hints.set("oriel_move_private", "false");
    return window<word, promise>::create(world(), std::span(memory), options);
  }
  [[nodiscard]] static disp mine(std::size_t i) {
    return disp{static_cast<std::uint64_t>(me()) * room + i};
  }
  [[nodiscard]] static word value(int from, int to, std::size_t i) {
    return static_cast<word>(from) * 1000000 + static_cast<word>(to) * 10000 + i + 1;
  }
  // Elements [0, n) to all other ranks, one after the other or a rank at a time.
  void put_all(std::size_t n, bool in_turn) {
    for (std::size_t k = 0; k < n * static_cast<std::size_t>(ranks()); ++k) {
      const auto p = static_cast<std::size_t>(ranks());
      const auto to = static_cast<int>(in_turn ? k % p : k / n);
      const std::size_t i = in_turn ? k / p : k % n;
      w.put(rank{to}, mine(i), value(me(), to, i)).or_throw();
    }
  }
  void expect_all(std::size_t n) {
    std::size_t wrong = 0;
    for (int from = 0; from < ranks(); ++from)
      for (std::size_t i = 0; i < n; ++i)
        if (memory[static_cast<std::size_t>(from) * room + i] != value(from, me(), i)) ++wrong;
    EXPECT_EQ(wrong, 0u);
    std::fill(memory.begin(), memory.end(), 0);
    world().barrier().or_throw();
  }
};

class PrivateStreams : public ::testing::TestWithParam<std::chrono::nanoseconds> {
 protected:
  void SetUp() override {
    world().state()->session().extension<win::kernel_copy_time>().smallest = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, PrivateStreams,
                         ::testing::Values(std::chrono::nanoseconds(1), std::chrono::hours(1)),
                         [](const auto& p) { return p.index == 0 ? "quick" : "slow"; });

TEST_P(PrivateStreams, AreCompleteAfterAFlushAndAnUnlock) {
  private_window p;
  for (const std::size_t n : {1, 2, 16, 17, 18, 84, 85, 86, 1000})
    for (const bool in_turn : {false, true}) {
      p.w.any().lock_all().or_throw();
      p.put_all(n, in_turn);
      p.w.flush(any_rank).or_throw();
      world().barrier().or_throw();
      p.expect_all(n);
      p.put_all(n, in_turn);
      p.w.any().unlock_all().or_throw();
      world().barrier().or_throw();
      p.expect_all(n);
    }
}

TEST_P(PrivateStreams, AreCompleteAfterAFence) {
  private_window p;
  p.w.fence().or_throw();
  for (const std::size_t n : {1, 3, 40, 300}) {
    p.put_all(n, true);
    p.w.fence().or_throw();
    p.expect_all(n);
    p.w.fence().or_throw();
  }
}

TEST_P(PrivateStreams, AreCompleteForThoseThatWait) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  private_window p;
  const rank next = world().next(), previous{(me() + ranks() - 1) % ranks()};
  for (int round = 0; round < 20; ++round) {
    p.w.any().post(std::span(&previous, 1)).or_throw();
    p.w.any().start(std::span(&next, 1)).or_throw();
    for (std::size_t i = 0; i < 200; ++i)
      p.w.put(next, private_window::mine(i), static_cast<word>(round) + i).or_throw();
    p.w.any().complete().or_throw();
    p.w.any().wait().or_throw();
    for (std::size_t i = 0; i < 200; ++i)
      ASSERT_EQ(p.memory[static_cast<std::size_t>(previous.value) * room + i],
                static_cast<word>(round) + i);
  }
}

TEST_P(PrivateStreams, ArriveBeforeTheirNotification) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  private_window p;
  const rank next = world().next();
  const auto previous = static_cast<std::size_t>((me() + ranks() - 1) % ranks());
  auto epoch = p.w.lock_all();
  for (word round = 1; round <= 50; ++round) {
    for (std::size_t i = 0; i < 100; ++i)
      p.w.put(next, private_window::mine(i), round * 1000 + i).or_throw();
    p.w.put_notify(next, private_window::mine(100), round, 0).or_throw();
    p.w.wait_notify(0, round).or_throw();
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_EQ(p.memory[previous * room + i], round * 1000 + i);
    ASSERT_EQ(p.memory[previous * room + 100], round);
    world().barrier().or_throw();
  }
}

// A get and an atomic go to the same memory.
TEST_P(PrivateStreams, AreSeenByWhatTheirOriginDoesNext) {
  private_window p;
  auto epoch = p.w.lock_all();
  const rank next = world().next();
  for (std::size_t i = 0; i < 30; ++i)
    p.w.put(next, private_window::mine(i), private_window::value(me(), next.value, i)).or_throw();
  EXPECT_EQ(p.w.get(next, private_window::mine(29)), private_window::value(me(), next.value, 29));
  for (std::size_t i = 0; i < 30; ++i)
    p.w.put(next, private_window::mine(i), static_cast<word>(i)).or_throw();
  EXPECT_EQ(p.w.fetch_add(next, private_window::mine(29), 1), 29u);
  EXPECT_EQ(p.w.get(next, private_window::mine(29)), 30u);
  world().barrier().or_throw();
}

TEST_P(PrivateStreams, OfOneElementAFlushEachAreCompleteByThen) {
  private_window p;
  auto epoch = p.w.lock_all();
  const rank next = world().next();
  for (int i = 0; i < until_owners_are_asked; ++i) {
    const word value = static_cast<word>(me() * 100 + i + 1);
    p.w.put(next, private_window::mine(0), value).or_throw();
    p.w.flush(next).or_throw();
    ASSERT_EQ(p.w.get(next, private_window::mine(0)), value);
  }
  world().barrier().or_throw();
  EXPECT_EQ(p.memory[static_cast<std::size_t>((me() + ranks() - 1) % ranks()) * room] % 100,
            static_cast<word>(until_owners_are_asked));
  world().barrier().or_throw();
}

// As long as one mail, and longer; as the room that owners share, and longer.
TEST_P(PrivateStreams, LongerOnesArriveToo) {
  constexpr std::size_t most = 20000;
  std::vector<word> memory(most + 1);
  window_options options;
  options.hints.set("oriel_move_private", "false");
  auto w =
      window<word, promise | assertion::multi_element>::create(world(), std::span(memory), options);
  auto epoch = w.lock_all();
  const rank next = world().next();
  for (int i = 0; i < until_owners_are_asked; ++i)
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{9}, std::size_t{255}, std::size_t{256}, std::size_t{257},
          std::size_t{700}, std::size_t{8192}, std::size_t{8193}, most}) {
      std::vector<word> sent(n), got(n);
      for (std::size_t k = 0; k < n; ++k) sent[k] = n * 1000 + static_cast<word>(i) + k;
      w.put(next, disp{1}, std::span(std::as_const(sent))).or_throw();
      w.get(next, disp{1}, std::span(got)).or_throw();
      w.flush(next).or_throw();
      ASSERT_EQ(got, sent) << n;
    }
  world().barrier().or_throw();
}

TEST_P(PrivateStreams, NeedNoOwnerThatWaits) {
  private_window p;
  if (me() == 0) {
    auto epoch = p.w.lock_all();
    p.put_all(500, false);
    p.w.flush(any_rank).or_throw();
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  world().barrier().or_throw();
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(p.memory[i], private_window::value(0, me(), i));
  world().barrier().or_throw();
}

// Threads may have streams of their own on one window.
TEST_P(PrivateStreams, OfSeveralThreadsLoseNothing) {
  private_window p;
  p.w.any().lock_all().or_throw();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&p, t] {
      for (std::size_t i = t; i < room; i += 4)
        for (int to = 0; to < ranks(); ++to) {
          p.w.put(rank{to}, private_window::mine(i), private_window::value(me(), to, i)).or_throw();
          if (i % 100 == t) p.w.flush(rank{to}).or_throw();
        }
    });
  for (std::thread& each : threads) each.join();
  p.w.any().unlock_all().or_throw();
  world().barrier().or_throw();
  p.expect_all(room);
}

// One of them has the room that owners share, the others go another way.
TEST_P(PrivateStreams, OfSeveralWindowsAndThreadsShareOneRoom) {
  constexpr std::size_t n = 3000, windows = 3;
  std::array<std::vector<word>, windows> memory;
  std::vector<window<word, promise | assertion::multi_element>> all;
  all.reserve(windows);
  for (std::vector<word>& m : memory) {
    m.resize(n);
    window_options options;
    options.hints.set("oriel_move_private", "false");
    all.push_back(
        window<word, promise | assertion::multi_element>::create(world(), std::span(m), options));
  }
  const rank next = world().next();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < windows; ++t)
    threads.emplace_back([&, t] {
      auto epoch = all[t].lock_all();
      std::vector<word> sent(n), got(n);
      for (word i = 0; i < 200; ++i) {
        for (std::size_t k = 0; k < n; ++k) sent[k] = t * 1000000 + i * 1000 + k;
        all[t].put(next, disp{0}, std::span(std::as_const(sent))).or_throw();
        all[t].get(next, disp{0}, std::span(got)).or_throw();
        all[t].flush(next).or_throw();
        if (got != sent) ++wrong;
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
