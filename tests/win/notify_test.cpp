// Notified puts of every shape, to ranks of this node and of others: what the target finds when the
// counter has moved, and that a refused one ends the wait for it.
#include <array>
#include <chrono>
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::notify | assertion::local_load_store;

TEST(Notify, MovesNoGapsOfADerivedBase) {
  // Two ints of every three.
  const datatype pair = datatype::resized(datatype::contiguous(2, datatype::of<int>()), 0, 12);
  constexpr std::size_t longest = 30'000;  // more than one message takes
  for (const std::size_t n : {std::size_t{1}, std::size_t{4}, longest}) {
    window_options options;
    options.notify_counters = 1;
    auto w = any_window::allocate(world(), longest, pair,
                                  promise | assertion::multi_element | assertion::user_datatype,
                                  options);
    auto* const mine = reinterpret_cast<int*>(w.local());
    std::fill(mine, mine + 3 * longest, -1);
    world().barrier().or_throw();
    std::vector<int> values(3 * n, me());
    w.lock_all().or_throw();
    ASSERT_TRUE(w.put_notify(world().next(), disp{0}, values.data(), n, 0).ok()) << w.failure();
    ASSERT_TRUE(w.wait_notify(0, 1).ok()) << w.failure();
    const int from = (me() + ranks() - 1) % ranks();
    for (std::size_t i = 0; i < 3 * n; ++i)
      ASSERT_EQ(mine[i], i % 3 == 2 ? -1 : from) << "of " << n << " elements, int " << i;
    for (std::size_t i = 3 * n; i < 3 * longest; ++i) ASSERT_EQ(mine[i], -1);
    w.unlock_all().or_throw();
    world().barrier().or_throw();
  }
}

TEST(Notify, OfNoElementsIsANotificationAlone) {
  const datatype sparse = datatype::resized(datatype::of<int>(), 0, 8);
  for (const datatype& base : {datatype::of<int>(), sparse}) {
    auto w = any_window::allocate(world(), 4, base, promise | assertion::user_datatype);
    w.lock_all().or_throw();
    EXPECT_TRUE(w.put_notify(world().next(), disp{0}, nullptr, 0, 0).ok()) << w.failure();
    EXPECT_TRUE(w.wait_notify(0, 1).ok()) << w.failure();
    EXPECT_EQ(w.local()[0], std::byte{0});
    w.unlock_all().or_throw();
    world().barrier().or_throw();
  }
}

// Notifications come from a rank of this node and from one of another, in turn, while their target
// may sleep for either.
TEST(Notify, WakesASleeperWhereverItComesFrom) {
  constexpr int turns = 6;
  auto w = window<int>::allocate(world(), turns * static_cast<std::size_t>(ranks()), promise);
  const auto epoch = w.lock_all();
  std::uint64_t awaited = 0;
  for (int turn = 0; turn < turns; ++turn)
    for (int from = 1; from < ranks(); ++from) {
      const disp at{static_cast<std::uint64_t>(turn * ranks() + from)};
      if (me() == from) {
        std::this_thread::sleep_for(std::chrono::milliseconds(turn < 4 ? 2 * turn : 20));
        ASSERT_TRUE(w.put_notify(rank{0}, at, turn, 0).ok()) << w.failure();
      }
      if (me() == 0) {
        ASSERT_TRUE(w.wait_notify(0, ++awaited).ok()) << w.failure();
        ASSERT_EQ(w.local()[at.value], turn);
      }
      world().barrier().or_throw();
    }
}

TEST(Notify, AddsAnAmount) {
  auto w = window<int, promise>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  ASSERT_TRUE(w.put_notify(world().next(), disp{1}, me(), 2, 7).ok()) << w.failure();
  ASSERT_TRUE(w.notify(world().next(), 2, 4'000'000'000).ok()) << w.failure();
  ASSERT_TRUE(w.wait_notify(2, 4'000'000'007).ok()) << w.failure();
  EXPECT_EQ(w.notified(2), 4'000'000'007);
  EXPECT_EQ(w.local()[1], (me() + ranks() - 1) % ranks());
  EXPECT_EQ(w.notify(world().next(), 2, 0).code(), errc::arg);
}

TEST(Notify, EndsTheWaitWhereNothingIsExposed) {
  auto w = window<int>::create(world(), assertion::shared_lock | assertion::notify |
                                            assertion::attach | assertion::multi_element);
  std::vector<int> mine(8);
  static_cast<void>(w.attach(std::span(mine)));
  world().barrier().or_throw();
  std::size_t counter = 0;
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{100'000}}) {
    const auto epoch = w.lock_all();
    const std::vector<int> values(n, 7);
    static_cast<void>(w.put_notify(world().next(), disp{8}, std::span(values), counter));
    EXPECT_EQ(w.flush_all().code(), errc::rma_range) << n << " elements";
    world().barrier().or_throw();
    w.clear_failure();
    EXPECT_EQ(w.wait_notify(counter++, 1).code(), errc::rma_range) << n << " elements";
    w.clear_failure();
    world().barrier().or_throw();
  }
}

TEST(Notify, ComesBehindASpan) {
  constexpr std::size_t longest = 40'000;
  auto w = window<int, promise | assertion::multi_element>::allocate(world(), 2 * longest);
  const auto epoch = w.lock_all();
  std::uint64_t awaited = 0;
  std::uint64_t first = 0;
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{1000}, longest}) {
    std::vector<int> values(n, me() + 1);
    ASSERT_TRUE(w.put_notify(world().next(), disp{first}, std::span<const int>(values), 0, 2).ok())
        << w.failure();
    std::fill(values.begin(), values.end(), -1);  // they are reusable
    ASSERT_TRUE(w.wait_notify(0, awaited += 2).ok()) << w.failure();
    const int from = (me() + ranks() - 1) % ranks();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(w.local()[first + i], from + 1) << i;
    first += n;
  }
}

// By whatever way: the first of a window, later ones, and what a way has no room for. Two windows'
// do not take each other's.
TEST(Notify, ComesBehindEverySpanOfMany) {
  constexpr std::size_t n = 30'000;
  constexpr auto all = promise | assertion::multi_element;
  std::array windows{window<int, all>::allocate(world(), n),
                     window<int, all>::allocate(world(), n)};
  const std::array<std::uint32_t, 3> amounts{1, 5, 1u << 25};
  const int from = (me() + ranks() - 1) % ranks();
  for (int turn = 0; turn < 12; ++turn)
    for (std::size_t i = 0; i < windows.size(); ++i) {
      auto& w = windows[i];
      const auto epoch = w.lock_all();
      const std::size_t counter = turn % 3 == 1 ? 3 : 2;
      const std::uint32_t amount = amounts[static_cast<std::size_t>(turn / 2) % amounts.size()];
      const auto value = [&](int rank) { return 100 * turn + 10 * static_cast<int>(i) + rank; };
      const std::vector<int> values(n, value(me()));
      ASSERT_TRUE(w.put_notify(world().next(), disp{0}, std::span(values), counter, amount).ok())
          << w.failure();
      ASSERT_TRUE(w.wait_notify(counter, amount).ok()) << w.failure();
      for (const int v : w.local()) ASSERT_EQ(v, value(from)) << turn;
      EXPECT_EQ(w.take_notified(counter), amount);
      ASSERT_TRUE(w.flush_all().ok()) << w.failure();
      world().barrier().or_throw();
    }
  for (auto& w : windows)
    for (std::size_t counter = 0; counter < 4; ++counter) EXPECT_EQ(w.notified(counter), 0);
}

TEST(Notify, IsAwaitedForALimitedTime) {
  auto w = window<int, promise>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(w.wait_notify(0, 1, std::chrono::milliseconds(20)).code(), errc::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(20));
  world().barrier().or_throw();
  EXPECT_TRUE(w.flush_all().ok()) << "what has not come is no failure of the window";
  ASSERT_TRUE(w.notify(world().next(), 0).ok()) << w.failure();
  EXPECT_TRUE(w.wait_notify(0, 1, std::chrono::hours(1)).ok()) << w.failure();
  world().barrier().or_throw();
  if (me() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(w.notify(world().next(), 0).ok()) << w.failure();
  EXPECT_TRUE(w.wait_notify(0, 2, std::chrono::milliseconds::max()).ok()) << "no limit at all";
}

// Whoever takes gets each notification once, while others notify.
TEST(Notify, IsTakenOnce) {
  constexpr std::uint64_t each = 200;
  auto w = window<int, promise>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  for (std::uint64_t n = 0; n < each; ++n)
    for (int r = 0; r < ranks(); ++r) ASSERT_TRUE(w.notify(rank{r}, 3).ok()) << w.failure();
  std::uint64_t taken = 0;
  while (taken < each * static_cast<std::uint64_t>(ranks())) {
    ASSERT_TRUE(w.wait_notify(3, 1).ok()) << w.failure();
    taken += w.take_notified(3);
  }
  ASSERT_TRUE(w.flush_all().ok()) << w.failure();
  world().barrier().or_throw();
  EXPECT_EQ(taken, each * static_cast<std::uint64_t>(ranks()));
  EXPECT_EQ(w.take_notified(3), 0);
  EXPECT_EQ(w.take_notified(100), 0);
  EXPECT_EQ(w.first_failure().empty(), false) << "there is no such counter";
  w.clear_failure();
}

// Of any size, singly and many at a time, and by lists; ORIEL_AGGREGATE gathers the single ones.
TEST(Notify, ComesBehindAllBeforeWherePromised) {
  constexpr std::size_t n = 20'000;
  constexpr auto all = promise | assertion::ordered_notify | assertion::multi_element;
  for (const bool aggregate : {false, true}) {
    window_options options;
    options.aggregate = aggregate;
    auto w = window<int, all>::allocate(world(), n, options);
    const auto epoch = w.lock_all();
    const int before = (me() + ranks() - 1) % ranks();
    std::uint64_t awaited = 0;
    for (const std::size_t many : {n - 100, std::size_t{1000}, std::size_t{2}}) {
      const std::vector<int> values(many, me() + static_cast<int>(many));
      ASSERT_TRUE(w.put(world().next(), disp{0}, std::span<const int>(values)).ok()) << w.failure();
      for (std::uint64_t i = many; i < many + 100; ++i)
        ASSERT_TRUE(w.put(world().next(), disp{i}, me() + static_cast<int>(many)).ok());
      ASSERT_TRUE(w.notify(world().next(), 0).ok()) << w.failure();
      ASSERT_TRUE(w.wait_notify(0, ++awaited).ok()) << w.failure();
      for (std::size_t i = 0; i < many + 100; ++i)
        ASSERT_EQ(w.local()[i], before + static_cast<int>(many)) << i << " of " << many;
      ASSERT_TRUE(w.flush_all().ok()) << w.failure();
      world().barrier().or_throw();
    }
  }
}

// Between nodes none has an answer that would hold its sender back: all send to all, and nobody
// waits before the end.
TEST(Notify, FloodsNobody) {
  constexpr std::uint64_t each = 2000;
  auto w = window<int>::allocate(world(), 4, promise);
  any_window& any = w.any();
  const auto epoch = w.lock_all();
  for (std::uint64_t n = 0; n < each; ++n)
    for (int r = 0; r < ranks(); ++r)
      ASSERT_TRUE(any.put_notify(rank{r}, disp{0}, nullptr, 0, 1).ok()) << w.failure();
  ASSERT_TRUE(w.flush_all().ok()) << w.failure();
  EXPECT_TRUE(w.wait_notify(1, each * static_cast<std::uint64_t>(ranks())).ok()) << w.failure();
  world().barrier().or_throw();
  EXPECT_EQ(w.notified(1), each * static_cast<std::uint64_t>(ranks()));
}

// What is not done conflicts with nothing, under ORIEL_CHECK neither.
TEST(Notify, CanBeTriedAgainAfterARefusal) {
  auto w = window<int>::allocate(world(), 4, promise);
  const auto epoch = w.lock_all();
  EXPECT_EQ(name(w.put_notify(world().next(), disp{0}, 1, 100).code()), "arg") << w.failure();
  w.clear_failure();
  EXPECT_TRUE(w.put_notify(world().next(), disp{0}, 1, 0).ok()) << w.failure();
  EXPECT_TRUE(w.wait_notify(0, 1).ok()) << w.failure();
  EXPECT_EQ(w.local()[0], 1);
  world().barrier().or_throw();
}

TEST(Notify, OfSeveralElementsNeedsThePromise) {
  auto w = window<int>::allocate(world(), 4, promise);
  const auto epoch = w.lock_all();
  const std::array values{7, 7};
  const status s = w.any().put_notify(world().next(), disp{0}, values.data(), values.size(), 0);
  EXPECT_EQ(name(s.code()), "not_asserted") << w.failure();
  EXPECT_NE(w.failure().find("multi_element"), std::string::npos) << w.failure();
  EXPECT_EQ(name(w.wait_notify(0, 1).code()), "not_asserted") << w.failure();
  EXPECT_EQ(w.local()[0], 0);
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
