// Notified puts in windows that gather: they come behind the packets before them, where that is
// promised, and count as themselves.
#include <vector>

#include "tests/win/lists/gathering.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set notified = simple | assertion::notify | assertion::ordered_notify;

// To the next and from the one before, so that each rank is notified by one.
TEST(GatheredNotify, ComesBehindWhatWasBegunBefore) {
  constexpr std::uint64_t each = 8;
  auto w = gathering_window<notified>(2 * each + 1);
  const rank to = world().next();
  auto epoch = w.lock_all();
  for (std::uint64_t round = 1; round <= 60; ++round) {
    for (std::uint64_t i = 0; i < round % each; ++i) {
      ASSERT_TRUE(w.put(to, disp{i}, round).ok());
      ASSERT_TRUE(w.accumulate<atomic_op::replace>(to, disp{each + i}, round).ok());
    }
    ASSERT_TRUE(w.put_notify(to, disp{2 * each}, round, 0).ok()) << w.failure();
    ASSERT_TRUE(w.wait_notify(0, round).ok()) << w.failure();
    for (std::uint64_t i = 0; i < round % each; ++i) {
      ASSERT_EQ(w.local()[i], round);
      ASSERT_EQ(w.local()[each + i], round);
    }
    ASSERT_EQ(w.local()[2 * each], round);
    meet();
  }
}

TEST(GatheredNotify, IsNoPutInTheStatistics) {
  constexpr std::uint64_t n = 10;
  auto w = gathering_window<notified>(1);
  {
    auto epoch = w.lock_all();
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(w.put_notify(world().next(), disp{0}, i, 0).ok());
    EXPECT_EQ(w.statistics().of(operation_kind::put_notify).operations, n);
    EXPECT_EQ(w.statistics().of(operation_kind::put).operations, 0u);
    ASSERT_TRUE(w.wait_notify(0, n).ok());
  }
  meet();
}

}  // namespace
}  // namespace oriel::testing
