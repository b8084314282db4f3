// Waits for any of several notification counters, whose notifications come from ranks of this node
// and of others.
#include <array>
#include <chrono>
#include <limits>
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using std::chrono::milliseconds;

constexpr auto promise = assertion::shared_lock | assertion::notify | assertion::local_load_store;
constexpr auto never = std::numeric_limits<std::uint64_t>::max();

// Rank 0 waits for any of a counter a rank; each of the others has its turn, after a while in which
// rank 0 spins or sleeps.
TEST(NotifyAny, ReturnsTheCounterThatWasNotified) {
  constexpr int turns = 5;
  auto w = window<int, promise>::allocate(world(), turns * static_cast<std::size_t>(ranks()));
  const auto epoch = w.lock_all();
  std::vector<std::uint64_t> next(static_cast<std::size_t>(ranks()), 1);
  for (int turn = 0; turn < turns; ++turn)
    for (int from = 0; from < ranks(); ++from) {
      const disp at{static_cast<std::uint64_t>(turn * ranks() + from)};
      const auto mine = static_cast<std::size_t>(from);
      if (me() == from) {
        std::this_thread::sleep_for(milliseconds(turn == 4 ? 20 : turn));
        ASSERT_TRUE(w.put_notify(rank{0}, at, turn + 1, mine).ok()) << w.failure();
      }
      if (me() == 0) {
        std::size_t came = 99;
        ASSERT_TRUE(w.wait_notify_any(0, next, came).ok()) << w.failure();
        ASSERT_EQ(came, mine);
        ASSERT_EQ(w.local()[at.value], turn + 1);
        ++next[came];
      }
      world().barrier().or_throw();
    }
}

TEST(NotifyAny, LooksAtItsSpanAlone) {
  auto w = window<int, promise>::allocate(world(), 1);
  const auto epoch = w.lock_all();
  for (const std::size_t c : {1, 6}) ASSERT_TRUE(w.notify(world().next(), c, 3).ok());
  for (const std::size_t c : {1, 6}) ASSERT_TRUE(w.wait_notify(c, 3).ok()) << w.failure();
  std::size_t came = 99;
  const std::array<std::uint64_t, 4> around{1, 1, 1, 1};
  EXPECT_EQ(w.wait_notify_any(2, around, came, milliseconds(20)).code(), errc::timed_out);
  EXPECT_EQ(came, 99u) << "a result was stored without success";
  ASSERT_TRUE(w.wait_notify_any(3, around, came).ok()) << w.failure();
  EXPECT_EQ(came, 6u);
  ASSERT_TRUE(w.wait_notify_any(0, std::array<std::uint64_t, 7>{1, 3, 1, 1, 1, 1, 3}, came).ok());
  EXPECT_EQ(came, 1u) << "the lowest";
  ASSERT_TRUE(
      w.wait_notify_any(0, std::array<std::uint64_t, 7>{1, never, 1, 1, 1, 1, 3}, came).ok());
  EXPECT_EQ(came, 6u) << "a counter that is not waited for";
  ASSERT_TRUE(w.wait_notify_any(0, std::array<std::uint64_t, 7>{1, 4, 1, 1, 1, 1, 3}, came).ok());
  EXPECT_EQ(came, 6u) << "3 is not 4";
  world().barrier().or_throw();
}

TEST(NotifyAny, EndsAfterItsTimeWithoutAFailureOfTheWindow) {
  auto w = window<int, promise>::allocate(world(), 1);
  const auto epoch = w.lock_all();
  const auto began = std::chrono::steady_clock::now();
  std::size_t came = 99;
  EXPECT_EQ(w.wait_notify_any(0, std::array<std::uint64_t, 2>{1, 1}, came, milliseconds(30)).code(),
            errc::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(30));
  EXPECT_EQ(came, 99u);
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  world().barrier().or_throw();
}

TEST(NotifyAny, RefusesWhatItCannotWaitFor) {
  auto w = window<int, promise>::allocate(world(), 1);
  const auto epoch = w.lock_all();
  std::size_t came = 99;
  EXPECT_EQ(w.wait_notify_any(0, {}, came).code(), errc::arg);
  EXPECT_EQ(w.wait_notify_any(8, std::array<std::uint64_t, 1>{0}, came).code(), errc::arg);
  EXPECT_EQ(w.wait_notify_any(7, std::array<std::uint64_t, 2>{}, came).code(), errc::arg);
  EXPECT_NE(w.failure().find("counter 8"), std::string::npos) << w.failure();
  EXPECT_EQ(came, 99u);
  w.clear_failure();
  world().barrier().or_throw();
}

// Its counter is one of those waited for, and so is one that counts.
TEST(NotifyAny, EndsWhereAPutWasRefused) {
  auto w = window<int>::allocate(world(), 4, promise);
  const auto epoch = w.lock_all();
  const std::array values{7, 7};
  EXPECT_EQ(w.any().put_notify(world().next(), disp{0}, values.data(), 2, 5).code(),
            errc::not_asserted);
  std::size_t came = 99;
  EXPECT_EQ(w.wait_notify_any(4, std::array<std::uint64_t, 3>{1, 1, 1}, came).code(),
            errc::not_asserted);
  EXPECT_NE(w.failure().find("was refused"), std::string::npos) << w.failure();
  EXPECT_EQ(came, 99u);
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
