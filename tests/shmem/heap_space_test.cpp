// The symmetric heap's bookkeeping against one that only adds up.
#include "shmem/heap_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <random>

#include "tests/support/seed.hpp"

namespace {

using oriel::shmem::heap_space;
constexpr std::size_t granule = heap_space::granule;

TEST(HeapSpace, GivesWhatItHasAndNoMore) {
  heap_space space(4 * granule + 1);
  EXPECT_EQ(space.take(granule), 0u);
  EXPECT_EQ(space.take(1), granule);
  EXPECT_FALSE(space.take(2 * granule + 1));
  EXPECT_EQ(space.take(2 * granule), 2 * granule);
  EXPECT_FALSE(space.take(1));
  EXPECT_TRUE(space.give_back(granule));
  EXPECT_FALSE(space.give_back(granule)) << "twice";
  EXPECT_EQ(space.take(granule), granule);
}

TEST(HeapSpace, RefusesMoreThanAnyMemory) {
  heap_space space(4 * granule);
  EXPECT_FALSE(space.take(std::numeric_limits<std::size_t>::max()));
  ASSERT_EQ(space.take(1), 0u);
  EXPECT_FALSE(space.resize(0, std::numeric_limits<std::size_t>::max()));
  EXPECT_EQ(space.size_at(0), granule);
}

TEST(HeapSpace, JoinsWhatIsGivenBack) {
  heap_space space(3 * granule);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(space.take(granule), i * granule);
  EXPECT_TRUE(space.give_back(0));
  EXPECT_TRUE(space.give_back(2 * granule));
  EXPECT_FALSE(space.take(2 * granule));
  EXPECT_TRUE(space.give_back(granule));
  EXPECT_EQ(space.take(3 * granule), 0u);
}

TEST(HeapSpace, TakesTheSmallestPartThatFits) {
  heap_space space(10 * granule);
  ASSERT_EQ(space.take(4 * granule), 0u);
  ASSERT_EQ(space.take(granule), 4 * granule);
  ASSERT_EQ(space.take(2 * granule), 5 * granule);
  ASSERT_EQ(space.take(3 * granule), 7 * granule);
  EXPECT_TRUE(space.give_back(0));
  EXPECT_TRUE(space.give_back(5 * granule));
  EXPECT_EQ(space.take(2 * granule), 5 * granule);
}

TEST(HeapSpace, GrowsAndShrinksInPlace) {
  heap_space space(8 * granule);
  ASSERT_EQ(space.take(2 * granule), 0u);
  EXPECT_TRUE(space.resize(0, 5 * granule));
  EXPECT_EQ(space.size_at(0), 5 * granule);
  ASSERT_EQ(space.take(granule), 5 * granule);
  EXPECT_FALSE(space.resize(0, 6 * granule));
  EXPECT_TRUE(space.resize(0, 1));
  EXPECT_EQ(space.size_at(0), granule);
  EXPECT_EQ(space.take(4 * granule), granule);
}

// Whatever is taken and given back, parts do not overlap, lie where they should, and all of the
// space comes back.
TEST(HeapSpace, KeepsPartsApart) {
  const std::uint64_t seed = oriel::testing::seed();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::size_t all = 1000 * granule;
  heap_space space(all);
  std::map<std::size_t, std::size_t> taken;  // ends by beginnings
  const auto some = [&] {
    return std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
  };
  const auto free_from = [&](std::size_t at, std::size_t to) {
    const auto behind = taken.lower_bound(at);
    return (behind == taken.end() || behind->first >= to) &&
           (behind == taken.begin() || std::prev(behind)->second <= at);
  };
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t bytes = 1 + random() % (40 * granule);
    switch (taken.empty() ? 0 : random() % 3) {
      case 0: {
        const std::size_t alignment = std::size_t{1} << random() % 13;
        const auto at = space.take(bytes, alignment);
        if (!at) continue;
        EXPECT_EQ(*at % std::max(alignment, granule), 0u);
        ASSERT_LE(*at + bytes, all);
        ASSERT_TRUE(free_from(*at, *at + bytes));
        taken.emplace(*at, *at + bytes);
        break;
      }
      case 1: {
        const auto given = some();
        EXPECT_TRUE(space.give_back(given->first));
        taken.erase(given);
        break;
      }
      default: {
        const auto [at, end] = *some();
        taken.erase(at);
        const bool fits = space.resize(at, bytes);
        ASSERT_TRUE(!fits || free_from(at, at + bytes));
        taken.emplace(at, fits ? at + bytes : end);
      }
    }
  }
  for (const auto& part : taken) EXPECT_TRUE(space.give_back(part.first));
  EXPECT_EQ(space.take(all), 0u);
}

}  // namespace
