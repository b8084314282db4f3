// What gathers by the time that an epoch, or a flush, ends: from all ranks to all others at once,
// and in the order of the program.
#include <vector>

#include "tests/win/lists/gathering.hpp"

namespace oriel::testing {
namespace {

// Each sends packets to all others, whose results are awaited, and serves them meanwhile.
TEST(GatheredEpochs, ResultsComeFromAllAtOnce) {
  constexpr std::uint64_t n = 4000;
  auto w = gathering_window<simple>(n);
  for (std::uint64_t i = 0; i < n; ++i) w.local()[i] = i + n * static_cast<unsigned>(me());
  meet();
  std::vector<std::uint64_t> got(n), before(n), swapped(n);
  const auto owner_of = [](std::uint64_t i) {
    return rank{static_cast<int>((i + static_cast<unsigned>(me())) %
                                 static_cast<unsigned>(world().size()))};
  };
  {
    auto epoch = w.lock_all();
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_TRUE(w.get_nbi(owner_of(i), disp{i}, got[i]).ok());
      ASSERT_TRUE(w.fetch_op_nbi(atomic_op::no_op, owner_of(i), disp{i}, 0, before[i]).ok());
      ASSERT_TRUE(w.compare_swap_nbi(owner_of(i), disp{i}, ~i, 0, swapped[i]).ok());
    }
    ASSERT_TRUE(w.flush_all().ok()) << w.failure();
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t expected = i + n * static_cast<unsigned>(owner_of(i).value);
      ASSERT_EQ(got[i], expected);
      ASSERT_EQ(before[i], expected);
      ASSERT_EQ(swapped[i], expected);
    }
  }
  meet();
}

// The first of an epoch may go by the fence itself, and those after it in packets: in order.
TEST(GatheredEpochs, AFenceKeepsTheOrderOfAccumulates) {
  auto w = gathering_window<ordered | assertion::fence>(2 * static_cast<unsigned>(world().size()));
  const rank to = far_or_next();
  const disp mine{2 * static_cast<unsigned>(me())};
  ASSERT_TRUE(w.fence().ok());
  for (std::uint64_t round = 1; round <= 40; ++round) {
    for (std::uint64_t i = 0; i <= round % 4; ++i)
      ASSERT_TRUE(w.accumulate<atomic_op::replace>(to, mine, 10 * round + i).ok());
    ASSERT_TRUE(w.fence().ok());
    std::uint64_t back = 0;
    ASSERT_TRUE(w.get(to, mine, back).ok());
    ASSERT_TRUE(w.fence().ok());
    ASSERT_EQ(back, 10 * round + round % 4) << "round " << round;
  }
  meet();
}

}  // namespace
}  // namespace oriel::testing
