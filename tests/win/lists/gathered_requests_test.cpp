// Operations with requests in windows that gather: they travel alone, and are complete here once
// they have been waited for, wherever the memory is.
#include <vector>

#include "tests/win/lists/gathering.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set several = simple | assertion::multi_element;

// Something is under way to `to`, on an element behind `n` others, so that what follows would
// gather.
template <class Window>
void begin_some(Window& w, rank to, std::uint64_t n) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(w.add(to, disp{n}, 1).ok());
}

TEST(GatheredRequests, ResultsAreThereAfterTheWait) {
  constexpr std::uint64_t n = 8;
  auto w = gathering_window<several>(n + 1);
  for (std::uint64_t i = 0; i < n; ++i) w.local()[i] = 100 * static_cast<unsigned>(me()) + i;
  meet();
  const rank to = far_or_next();
  const auto there = [&](std::uint64_t i) { return 100 * static_cast<unsigned>(to.value) + i; };
  {
    auto epoch = w.lock_all();
    begin_some(w, to, n);
    std::vector<std::uint64_t> back(n);
    ASSERT_TRUE(w.rget(to, disp{0}, std::span(back)).wait().ok());
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(back[i], there(i));
    ASSERT_TRUE(w.flush(to).ok());
    begin_some(w, to, n);
    std::vector<std::uint64_t> before(n);
    const std::vector<std::uint64_t> zeros(n);
    ASSERT_TRUE(w.rget_accumulate(atomic_op::sum, to, disp{0}, std::span(zeros), std::span(before))
                    .wait()
                    .ok());
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(before[i], there(i));
    ASSERT_TRUE(w.flush(to).ok());
    begin_some(w, to, n);
    request one = w.rget(to, disp{n - 1}, std::span(back).first(1));
    while (!one.test()) {
    }
    EXPECT_EQ(back[0], there(n - 1));
  }
  meet();
}

TEST(GatheredRequests, OfLayoutsToo) {
  constexpr std::size_t n = 16;
  any_window w = gathering_bytes(n, several | assertion::user_datatype);
  for (std::size_t i = 0; i < n; ++i)
    w.local()[i] = static_cast<std::byte>(static_cast<unsigned>(me()) * n + i);
  meet();
  const rank to = far_or_next();
  const shape every_second{datatype::vector(n / 2, 1, 2, datatype::of<std::byte>()), 1};
  ASSERT_TRUE(w.lock_all().ok());
  for (std::size_t i = 1; i < 7; i += 2) {
    const std::byte same = static_cast<std::byte>(static_cast<unsigned>(to.value) * n + i);
    ASSERT_TRUE(w.put(to, disp{i}, &same, 1).ok());
  }
  std::vector<std::byte> back(n);
  ASSERT_TRUE(w.rget(to, disp{0}, back.data(), every_second, every_second).wait().ok());
  for (std::size_t i = 0; i < n; i += 2)
    EXPECT_EQ(back[i], static_cast<std::byte>(static_cast<unsigned>(to.value) * n + i));
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
}

// In a window that orders accumulates they do not pass those before them.
TEST(GatheredRequests, AccumulatesKeepTheirOrder) {
  auto w = gathering_window<ordered>(static_cast<std::size_t>(world().size()));
  const rank to = far_or_next();
  const disp mine{static_cast<std::uint64_t>(me())};
  auto epoch = w.lock_all();
  for (std::uint64_t round = 1; round <= 40; ++round) {
    for (std::uint64_t i = 0; i < round % 4; ++i)
      ASSERT_TRUE(w.accumulate<atomic_op::replace>(to, mine, 2 * round).ok());
    const std::uint64_t last = 2 * round + 1;
    ASSERT_TRUE(w.raccumulate(atomic_op::replace, to, mine, std::span(&last, 1)).wait().ok());
    std::uint64_t seen = 0;
    ASSERT_TRUE(w.fetch_op(atomic_op::no_op, to, mine, 0, seen).ok());
    ASSERT_EQ(seen, last);
  }
}

}  // namespace
}  // namespace oriel::testing
