// Operands in windows whose operations are many and small: those that repeat travel once, and each
// is the one that was given.
#include <algorithm>
#include <array>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/win/lists/gathering.hpp"
#include "tests/win/lists/window_messages.hpp"

namespace oriel::testing {
namespace {

// Twice as many as where each has its own.
TEST(GatheredOperands, ThatRepeatTakeFewMessages) {
  constexpr std::uint64_t n = 20000;
  auto w = gathering_window<simple>(16 * static_cast<unsigned>(world().size()));
  const rank to = far_or_next();
  const auto first = 16 * static_cast<unsigned>(me());
  {
    auto epoch = w.lock_all();
    const sent_messages messages(w.any());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(w.add(to, disp{first + i % 16}, 3).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_LT(messages.count(), n / 1500 + messages.most_early());
    for (std::uint64_t i = 0; i < 16; ++i)
      EXPECT_EQ(w.fetch_add(to, disp{first + i}, 0), n / 16 * 3);
  }
  meet();
}

// Few operands, so that some repeat those before them and others do not, of operations that are
// applied in order.
TEST(GatheredOperands, AreThoseGivenWhicheverRepeat) {
  constexpr std::uint64_t each = 8;
  auto w = gathering_window<ordered>(each * static_cast<unsigned>(world().size()));
  const rank to = far_or_next();
  const auto first = each * static_cast<unsigned>(me());
  const std::uint64_t s = seed_or(7) + static_cast<unsigned>(me());
  std::mt19937_64 random(s);
  std::array<std::uint64_t, each> expected{};
  {
    auto epoch = w.lock_all();
    for (int i = 0; i < (checking() ? 2000 : 20000); ++i) {
      const std::uint64_t at = random() % each, operand = random() % 3;
      switch (random() % 5) {
        case 0:
          // A put after an accumulate that is under way is a conflict, which ORIEL_CHECK reports.
          if (checking()) {
            ASSERT_TRUE(w.flush(to).ok());
          }
          ASSERT_TRUE(w.put(to, disp{first + at}, operand).ok());
          ASSERT_TRUE(w.flush(to).ok());
          expected[at] = operand;
          break;
        case 1:
          ASSERT_TRUE(w.accumulate(atomic_op::max, to, disp{first + at}, operand).ok());
          expected[at] = std::max(expected[at], operand);
          break;
        default:
          ASSERT_TRUE(w.add(to, disp{first + at}, operand).ok());
          expected[at] += operand;
      }
      if (random() % 500 == 0) {
        ASSERT_TRUE(w.flush(to).ok());
      }
    }
    ASSERT_TRUE(w.flush(to).ok());
    for (std::uint64_t i = 0; i < each; ++i)
      EXPECT_EQ(w.fetch_add(to, disp{first + i}, 0), expected[i]) << "seed " << s;
  }
  meet();
}

}  // namespace
}  // namespace oriel::testing
