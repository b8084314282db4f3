// Times of other nodes that are certainly not before one of this node's.
#include "session/team/far_clocks.hpp"

#include <gtest/gtest.h>

namespace oriel::sessions {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

TEST(FarClocks, AreThisNodesOwnHere) {
  const far_clocks clocks(2, 1);
  EXPECT_EQ(clocks.not_before(1, 5), 5u);
}

TEST(FarClocks, AreUnknownUntilANodeIsHeard) {
  const far_clocks clocks(2, 1);
  EXPECT_EQ(clocks.not_before(0, 5), far_clocks::never);
  EXPECT_EQ(clocks.not_before(0, 0), 0u) << "no time remains none";
}

// The answer was given after the question, so that the true time lies before what is returned.
TEST(FarClocks, AreAheadByWhatAnAnswerSays) {
  for (const std::int64_t ahead : {std::int64_t{5000}, std::int64_t{-5000}}) {
    far_clocks clocks(2, 0);
    const std::uint64_t asked = 10'000 * second;
    const auto theirs = asked + static_cast<std::uint64_t>(ahead * std::int64_t{second});
    clocks.heard(1, asked, theirs + second / 1000);
    const std::uint64_t then = clocks.not_before(1, asked);
    EXPECT_GE(then, theirs + second / 1000);
    EXPECT_LT(then, theirs + second / 100);
  }
}

TEST(FarClocks, TakeTheClosestAnswer) {
  far_clocks clocks(2, 0);
  clocks.heard(1, 100 * second, 101 * second);
  clocks.heard(1, 102 * second, 102 * second + 50);
  clocks.heard(1, 103 * second, 105 * second);
  EXPECT_LT(clocks.not_before(1, 103 * second), 103 * second + second / 100);
}

// They may run apart, before the answer and after it.
TEST(FarClocks, GrowUncertainWithTime) {
  far_clocks clocks(2, 0);
  clocks.heard(1, 1000 * second, 1000 * second);
  EXPECT_GE(clocks.not_before(1, 2000 * second), 2000 * second + second / 2);
  EXPECT_GE(clocks.not_before(1, second), second + second / 2);
}

// A clock that began after this one's time had no time yet.
TEST(FarClocks, HaveATimeWhereTheirsHadNotBegun) {
  far_clocks clocks(2, 0);
  clocks.heard(1, 1000 * second, second);
  EXPECT_EQ(clocks.not_before(1, 2), 1u);
}

}  // namespace
}  // namespace oriel::sessions
