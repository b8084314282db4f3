// bloom_filter: no key is missed, and as many others are taken for keys as its construction was
// given. Hashes are fixed, so that a number of ranks gives the same counts in every run.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oriel/bloom_filter.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
using filter = bloom_filter<word>;
using flags = std::unique_ptr<bool[]>;

std::vector<word> from(word first, word n) {
  std::vector<word> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}
word many() {
  return checking() ? 2'000 : 20'000;
}
word count() {
  return static_cast<word>(ranks());
}
word mine() {
  return static_cast<word>(me());
}

// How many of n keys from `first` on the filter has, as this rank finds.
word found(filter& f, word first, word n) {
  auto p = f.find_only();
  const flags maybe(new bool[n]);
  const auto r = p.contains(from(first, n), std::span(maybe.get(), n));
  EXPECT_TRUE(r.outcome.ok()) << f.failure();
  word set = 0;
  for (word i = 0; i < n; ++i) set += maybe[i] ? 1 : 0;
  EXPECT_EQ(r.count, set);
  return set;
}

TEST(BloomFilter, MissesNoKeyAndTakesFewOthersForKeys) {
  const word n = many();
  for (const double rate : {0.2, 0.01, 0.001}) {
    filter f(world(), n * count(), rate);
    f.insert_only().insert(from(mine() * n, n)).or_throw();
    for (word r = 0; r < count(); ++r) EXPECT_EQ(found(f, r * n, n), n);
    const word others = 5 * n;
    const word wrong = world().allreduce(found(f, (mine() + 1) << 40, others), atomic_op::sum);
    const double measured = static_cast<double>(wrong) / static_cast<double>(others * count());
    // Four standard deviations of so many draws, and a tenth of the rate.
    const double deviation = std::sqrt(rate / static_cast<double>(others * count()));
    EXPECT_LT(measured, 1.1 * rate + 4 * deviation) << "rate " << rate;
    EXPECT_GT(measured, 0.8 * rate - 4 * deviation) << "more bits than are needed; rate " << rate;
    EXPECT_LE(f.expected_rate(n * count()), rate);
    EXPECT_GT(f.expected_rate(4 * n * count()), 2 * rate);
  }
}

TEST(BloomFilter, TakesKeysOfAnySizeOneByOne) {
  struct wide {
    word a, b, c;
  };
  bloom_filter<wide> f(world(), 100 * count(), 0.0001);
  const auto key = [](word r, word i) { return wide{i, r, ~i}; };
  {
    auto p = f.insert_only();
    for (word i = 0; i < 100; ++i) EXPECT_TRUE(p.insert(key(mine(), i)).ok());
  }
  auto p = f.find_only();
  word wrong = 0;
  for (word r = 0; r < count(); ++r)
    for (word i = 0; i < 100; ++i) {
      EXPECT_TRUE(p.contains(key(r, i)));
      wrong += p.contains(key(r + count(), i)) ? 1 : 0;
    }
  EXPECT_LE(wrong, 1u);
}

TEST(BloomFilter, MergesAndClears) {
  const word n = 1000;
  filter even(world(), n * count(), 0.01, {.name = "even"}), odd(world(), n * count(), 0.01);
  even.insert_only().insert(from(mine() * n, n)).or_throw();
  odd.insert_only().insert(from((mine() + count()) * n, n)).or_throw();
  EXPECT_LT(found(even, count() * n, n), n / 10);
  even.merge(odd);
  for (word r = 0; r < 2 * count(); ++r) EXPECT_EQ(found(even, r * n, n), n);
  EXPECT_LT(found(odd, 0, n), n / 10) << "what is merged stays as it is";
  even.clear();
  EXPECT_EQ(found(even, 0, 2 * count() * n), 0u);
  for (word r = 0; r < count(); ++r) EXPECT_EQ(found(odd, (r + count()) * n, n), n);

  filter larger(world(), 10 * n * count(), 0.01);
  const thrown t = catch_error([&] { even.merge(larger); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_NE(t.text.find("bloom_filter 'even': merge()"), std::string::npos) << t.text;
}

TEST(BloomFilter, SharesMessagesBetweenNodes) {
  if (!spans_nodes()) GTEST_SKIP() << "no messages";
  if (checking()) GTEST_SKIP() << "the checks look at each operation";
  const word n = 10'000;
  filter f(world(), n * count(), 0.01);
  f.insert_only().insert(from(mine() * n, n)).or_throw();
  const auto inserted = f.statistics();
  EXPECT_GT(inserted.packed, n / 4);
  EXPECT_GT(inserted.packed, 100 * inserted.packets);
  static_cast<void>(found(f, 0, n));
  const auto all = f.statistics();
  EXPECT_GT(all.packed - inserted.packed, 100 * (all.packets - inserted.packets));
}

TEST(BloomFilter, ThreadsInsertAndFindInOnePhase) {
  constexpr word threads = 4, n = 2000;
  filter f(world(), threads * n * count(), 0.01);
  const auto together = [&](auto work) {
    std::vector<std::thread> all;
    for (word t = 0; t < threads; ++t) all.emplace_back([=] { work((mine() * threads + t) * n); });
    for (auto& t : all) t.join();
  };
  {
    auto p = f.insert_only();
    together([&p](word first) { EXPECT_TRUE(p.insert(from(first, n)).ok()); });
  }
  auto p = f.find_only();
  together([&](word first) {
    const flags maybe(new bool[n]);
    EXPECT_EQ(p.contains(from(first, n), std::span(maybe.get(), n)).count, n);
  });
}

TEST(BloomFilter, RefusesWhatIsOutOfOrder) {
  for (const double rate : {0.0, 1.0, -1.0, 1e-30})
    EXPECT_EQ(catch_error([&] { filter(world(), 10, rate); }).code, errc::arg) << rate;
  EXPECT_EQ(catch_error([] { filter(world(), ~word{0}, 0.01); }).code, errc::arg);
  if (ranks() > 1) {
    const auto e = catch_error([] { filter(world(), me() == 0 ? 10 : 1'000'000, 0.01); });
    EXPECT_EQ(e.code, errc::mismatched_assertions) << e.text;
  }
  filter f(world(), 0, 0.01, {.name = "strict"}), g(world(), 0, 0.01);
  auto p = f.insert_only();
  EXPECT_EQ(catch_error([&] { f.clear(); }).code, errc::rma_sync);
  EXPECT_EQ(catch_error([&] { g.merge(f); }).code, errc::rma_sync);
  EXPECT_EQ(catch_error([&] { auto q = f.find_only(); }).code, errc::rma_sync);
  EXPECT_TRUE(p.end().ok());
  EXPECT_EQ(p.insert(1).code(), errc::rma_sync);
  auto q = f.find_only();
  const std::array<word, 2> two{1, 2};
  std::array<bool, 1> one{};
  EXPECT_EQ(q.contains(two, one).outcome.code(), errc::count);
  EXPECT_NE(f.failure().find("'strict': spans of 2 keys and 1 answers"), std::string::npos)
      << f.failure();
  EXPECT_FALSE(q.contains(1)) << "an operation on an ended phase inserts nothing";
}

TEST(BloomFilter, ThrowsWhereItWasMovedFrom) {
  filter from(world(), 100, 0.01), to(std::move(from));
  EXPECT_EQ(catch_error([&] { auto p = from.insert_only(); }).code, errc::win);
  EXPECT_EQ(catch_error([&] { to.merge(from); }).code, errc::win);
  EXPECT_EQ(catch_error([&] { static_cast<void>(from.expected_rate(1)); }).code, errc::win);
  from = std::move(to);
  EXPECT_TRUE(from.insert_only().insert(1).ok());
}

}  // namespace
}  // namespace oriel::testing
