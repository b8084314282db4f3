// Runs of several elements and small layouts in windows that gather: what reaches ranks of other
// nodes, in how many messages, and what is refused. On one node the promise changes nothing, and
// the same holds.
#include <numeric>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/win/lists/gathering.hpp"
#include "tests/win/lists/window_messages.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set several = assertion::shared_lock | assertion::local_load_store |
                                  assertion::multi_element | assertion::user_datatype;

auto doubles(std::size_t count) {
  return gathering_window<several, double>(count);
}
any_window bytes(std::size_t count, assertion_set more = {}) {
  return gathering_bytes(count, several | more);
}

// Each rank's own part of `each` elements.
disp mine(std::size_t each, std::size_t i = 0) {
  return disp{each * static_cast<unsigned>(me()) + i};
}
std::size_t for_all(std::size_t each) {
  return each * static_cast<unsigned>(ranks());
}

TEST(GatheredRuns, OfFourDoublesTakeFewMessages) {
  constexpr std::size_t n = 2000, run = 4, each = n * run;
  auto w = doubles(for_all(each));
  const rank to = far_or_next();
  std::vector<double> sent(each), back(each, -1);
  std::iota(sent.begin(), sent.end(), 1000.0 * me());
  {
    auto epoch = w.lock_all();
    const sent_messages messages(w.any());
    for (std::size_t i = 0; i < each; i += run)
      ASSERT_TRUE(w.put(to, mine(each, i), std::span(sent).subspan(i, run)).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    for (std::size_t i = 0; i < each; i += run)
      ASSERT_TRUE(w.get(to, mine(each, i), std::span(back).subspan(i, run)).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_EQ(back, sent);
    for (std::size_t i = 0; i < each; i += run)
      ASSERT_TRUE(
          w.accumulate(atomic_op::sum, to, mine(each, i), std::span(sent).subspan(i, run)).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_LT(messages.count(), n / 10 + messages.most_early());
    ASSERT_TRUE(w.get(to, mine(each), back).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    for (std::size_t i = 0; i < each; ++i) ASSERT_EQ(back[i], 2 * sent[i]) << i;
  }
  meet();
}

// The source of a run is reusable at once, whatever its length.
TEST(GatheredRuns, ReadTheirSourceBeforeTheyReturn) {
  constexpr std::size_t run = 100;
  auto w = doubles(for_all(10 * run));
  const rank to = far_or_next();
  {
    auto epoch = w.lock_all();
    std::vector<double> source(run), back(10 * run);
    for (std::size_t k = 0; k < 10; ++k) {
      std::fill(source.begin(), source.end(), static_cast<double>(k));
      ASSERT_TRUE(w.put(to, mine(10 * run, k * run), std::span<const double>(source)).ok());
    }
    ASSERT_TRUE(w.flush(to).ok());
    ASSERT_TRUE(w.get(to, mine(10 * run), back).ok());
    ASSERT_TRUE(w.flush(to).ok());
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], static_cast<double>(i / run));
  }
  meet();
}

// Results of one packet are of any lengths, in any order.
TEST(GatheredRuns, OfAllLengthsGatherTogether) {
  constexpr std::size_t each = 60'000;
  any_window w = bytes(for_all(each));
  const rank to = far_or_next();
  const std::uint64_t s = seed_or(17) + static_cast<unsigned>(me());
  std::mt19937_64 random(s);
  std::vector<std::uint8_t> sent(each), back(each);
  for (std::uint8_t& b : sent) b = static_cast<std::uint8_t>(random());
  ASSERT_TRUE(w.lock_all().ok());
  const sent_messages messages(w);
  std::size_t runs = 0;
  const auto each_run = [&](std::size_t longest, auto move) {
    for (std::size_t at = 0, n = 0; at < each; at += n, ++runs) {
      n = std::min(each - at, 1 + random() % longest);
      ASSERT_TRUE(move(at, n).ok()) << w.failure();
    }
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  };
  each_run(200,
           [&](std::size_t at, std::size_t n) { return w.put(to, mine(each, at), &sent[at], n); });
  each_run(200,
           [&](std::size_t at, std::size_t n) { return w.get(to, mine(each, at), &back[at], n); });
  EXPECT_EQ(back, sent) << "seed " << s;
  if (gathers_to(to)) {
    EXPECT_LT(messages.count(), runs / 10 + messages.most_early());
  }
  // Of a few lengths, some of which travel alone.
  back.assign(each, 0);
  each_run(3000,
           [&](std::size_t at, std::size_t n) { return w.get(to, mine(each, at), &back[at], n); });
  EXPECT_EQ(back, sent) << "seed " << s;
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
  w.free().or_throw();
}

// Every second double of a row, as columns of a matrix are, and blocks at irregular places.
TEST(GatheredRuns, SmallLayoutsGatherToo) {
  constexpr std::size_t n = 1000, each = 16 * n;
  auto w = doubles(for_all(each));
  const rank to = far_or_next();
  const shape column{datatype::vector(4, 1, 2, datatype::of<double>()), 1};
  const std::array<std::size_t, 2> lengths{1, 3};
  const std::array<std::ptrdiff_t, 2> places{12, 8};
  const shape blocks{datatype::indexed(lengths, places, datatype::of<double>()), 1};
  std::vector<double> sent(8), expected(each, 0), back(each, -1);
  {
    auto epoch = w.lock_all();
    const sent_messages messages(w.any());
    for (std::size_t i = 0; i < n; ++i) {
      std::iota(sent.begin(), sent.end(), static_cast<double>(10 * i + 1));
      ASSERT_TRUE(w.put(to, mine(each, 16 * i), sent.data(), column, column).ok());
      ASSERT_TRUE(w.put(to, mine(each, 16 * i), sent.data(), column, blocks).ok());
      double* const at = &expected[16 * i];
      for (std::size_t k = 0; k < 4; ++k) at[2 * k] = sent[2 * k];
      at[12] = sent[0];
      for (std::size_t k = 0; k < 3; ++k) at[8 + k] = sent[2 * k + 2];
    }
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    const std::vector<double> ones(8, 1);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(
          w.accumulate(atomic_op::sum, to, mine(each, 16 * i), ones.data(), column, column).ok());
      for (std::size_t k = 0; k < 4; ++k) expected[16 * i + 2 * k] += 1;
    }
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    std::vector<double> columns(each, 0);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(w.get(to, mine(each, 16 * i), &columns[16 * i], column, column).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    if (gathers_to(to)) {
      EXPECT_LT(messages.count(), 4 * n / 10 + messages.most_early());
    }
    ASSERT_TRUE(w.get(to, mine(each), back).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_EQ(back, expected);
    for (std::size_t i = 0; i < each; ++i)
      ASSERT_EQ(columns[i], i % 16 < 8 && i % 2 == 0 ? expected[i] : 0) << i;
  }
  meet();
}

// Runs, layouts and single elements of the same places, by one origin, in order.
TEST(GatheredRuns, AccumulatesOfAllFormsKeepTheirOrder) {
  constexpr std::size_t each = 256;
  any_window w = bytes(for_all(each), assertion::ordered_accumulate);
  const rank to = far_or_next();
  const std::uint64_t s = seed_or(23) + static_cast<unsigned>(me());
  std::mt19937_64 random(s);
  constexpr std::size_t elements = each / sizeof(std::int32_t);
  std::vector<std::int32_t> expected(elements, 0), results(elements), back(elements);
  const auto number = primitive::int32;
  ASSERT_TRUE(w.lock_all().ok());
  for (int turn = 0; turn < 600; ++turn) {
    const auto form = random() % 5;
    const std::size_t n = form == 0 ? 1 : 1 + random() % 20;
    const std::size_t first = random() % (elements - 2 * n + 1);
    std::vector<std::int32_t> values(2 * n);
    for (auto& v : values) v = static_cast<std::int32_t>(random() % 1000);
    const atomic_op op = random() % 2 == 0 ? atomic_op::replace : atomic_op::sum;
    const disp at = mine(each, sizeof(std::int32_t) * first);
    const std::size_t apart = form == 3 ? 2 : 1;
    if (form == 3) {
      const shape strided{datatype::vector(n, 1, 2, datatype::of(number)), 1};
      ASSERT_TRUE(w.accumulate(op, to, at, values.data(), strided, strided).ok()) << w.failure();
    } else if (form == 4) {
      ASSERT_TRUE(w.get_accumulate(op, number, to, at, values.data(), results.data(), n).ok());
      ASSERT_TRUE(w.flush(to).ok()) << w.failure();
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_EQ(results[k], expected[first + k]) << "seed " << s << " turn " << turn;
    } else {
      ASSERT_TRUE(w.accumulate(op, number, to, at, values.data(), n).ok()) << w.failure();
    }
    for (std::size_t k = 0; k < n * apart; k += apart) {
      auto& there = expected[first + k];
      there = op == atomic_op::replace ? values[k] : there + values[k];
    }
  }
  ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  ASSERT_TRUE(w.get(to, mine(each), back.data(), each).ok());
  ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  EXPECT_EQ(back, expected) << "seed " << s;
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
  w.free().or_throw();
}

// Of what reaches beyond the end nothing is done, of its first elements neither.
TEST(GatheredRuns, ThatReachBeyondTheEndAreRefusedWhole) {
  const rank to = far_or_next();
  if (!gathers_to(to) || may_attach != assertion_set{})
    GTEST_SKIP() << "nothing is tested, or piece by piece";
  auto w = doubles(8);
  const std::vector<double> four{1, 2, 3, 4};
  const shape column{datatype::vector(2, 1, 2, datatype::of<double>()), 1};
  {
    auto epoch = w.lock_all();
    EXPECT_EQ(w.put(to, disp{5}, std::span<const double>(four)).code(), errc::rma_range);
    EXPECT_EQ(w.accumulate(atomic_op::sum, to, disp{5}, std::span<const double>(four)).code(),
              errc::rma_range);
    EXPECT_EQ(w.put(to, disp{6}, four.data(), column, column).code(), errc::rma_range);
    EXPECT_EQ(w.accumulate(atomic_op::sum, to, disp{6}, four.data(), column, column).code(),
              errc::rma_range);
    std::vector<double> back(4, -1);
    EXPECT_EQ(w.get(to, disp{6}, back.data(), column, column).code(), errc::rma_range);
    EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos);
    w.clear_failure();
    EXPECT_TRUE(w.flush(to).ok()) << w.failure();
  }
  meet();
  for (const double v : w.local()) EXPECT_EQ(v, 0);
  meet();
}

}  // namespace
}  // namespace oriel::testing
