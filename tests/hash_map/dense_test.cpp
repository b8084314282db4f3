// Tables of more than half load, up to all of their slots: dense ones in memory of devices.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>
#include <vector>

#include "tests/hash_map/tested_map.hpp"

namespace oriel::testing {
namespace {

using table = hash_map<word, word>;

word elements() {
  return slow() ? 1050 : 25'000;  // of a rank
}
hash_map_options dense(double load) {
  return on_kind({.name = "dense", .load_factor = load});
}
// Of a rank, in no order.
std::vector<word> keys_of(const team& world, word first, word n) {
  std::vector<word> keys(n);
  for (word i = 0; i < n; ++i)
    keys[i] = detail::mix((static_cast<word>(world.me().value) << 32) + first + i + 1);
  return keys;
}

TEST(HashMapDense, MemoryOfDevicesHasTheSlotsThatALoadAboveAHalfAsksFor) {
  const team world = testing::world();
  const word n = elements() * static_cast<word>(world.size());
  const word slots = table(world, n, dense(0.9)).slots_per_rank();
  const auto expected = static_cast<double>(elements());
  EXPECT_GE(static_cast<double>(slots), expected / 0.9);
  EXPECT_EQ(slots % 7 == 0, !tested_kind().empty());
  EXPECT_LT(static_cast<double>(slots), expected * (slots % 7 == 0 ? 1.5 : 4));
  using general = hash_map<word, word, slot_layout::general>;
  for (const word of_others : {table(world, n, dense(0.5)).slots_per_rank(),
                               general(world, n, dense(0.9)).slots_per_rank()})
    EXPECT_EQ(of_others & (of_others - 1), 0u);
}

TEST(HashMapDense, BatchesFindWhatAllRanksInserted) {
  const team world = testing::world();
  const word n = elements();
  for (const double load : slow() ? std::vector{0.95} : std::vector{0.8, 0.95, 1.0}) {
    table map(world, n * static_cast<word>(world.size()), dense(load));
    const std::vector<word> keys = keys_of(world, 0, n);
    std::vector<word> values(n);
    for (word i = 0; i < n; ++i) values[i] = ~keys[i];
    {
      auto p = map.insert_only();
      EXPECT_EQ(p.insert(keys, values).count, n);
      EXPECT_EQ(p.insert(keys, keys).count, 0u);
      std::vector<word> ones(n, 1);
      EXPECT_TRUE(p.fetch_add(keys, ones).outcome.ok());
    }
    EXPECT_EQ(map.size(), n * static_cast<word>(world.size()));
    {
      auto p = map.find_only();
      std::vector<word> found(n);
      EXPECT_EQ(p.find(keys, found).count, n);
      for (word i = 0; i < n; ++i) ASSERT_EQ(found[i], ~keys[i] + 1);
      const std::vector<word> others = keys_of(world, word{1} << 30, n);
      EXPECT_EQ(p.find(others, found).count, 0u);
      EXPECT_EQ(p.find(keys[7]), ~keys[7] + 1);
      EXPECT_FALSE(p.find(others[7]).has_value());
      word sum = 0;
      map.for_each_local([&](word, word) { ++sum; });
      EXPECT_EQ(world.allreduce(sum, atomic_op::sum), map.size());
    }
    map.clear();
    EXPECT_EQ(map.size(), 0u);
  }
}

// Each rank's keys are its own, so that a map of the rank's has all that it must find.
TEST(HashMapDense, MixedPhasesAgreeWithAMapOfTheRanksOwn) {
  const team world = testing::world();
  const word n = slow() ? 1030 : 6000;
  table map(world, n * static_cast<word>(world.size()), dense(1.0));
  const std::vector<word> keys = keys_of(world, 0, n);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::unordered_map<word, word> known;
  {
    auto p = map.mixed();
    for (word i = 0; i < (slow() ? n / 4 : 4 * n); ++i) {
      const word key = keys[random() % n], value = random();
      const bool there = known.contains(key);
      switch (random() % 5) {
        case 0:
          ASSERT_EQ(p.insert(key, value).count, there ? 0u : 1u);
          known.try_emplace(key, value);
          break;
        case 1:
          ASSERT_EQ(p.insert_or_assign(key, value).count, there ? 0u : 1u);
          known[key] = value;
          break;
        case 2:
          ASSERT_EQ(p.erase(key).count, known.erase(key));
          break;
        case 3: {
          word before = 1;
          ASSERT_TRUE(p.fetch_add(key, value, &before).outcome.ok());
          ASSERT_EQ(before, there ? known[key] : 0);
          known[key] += value;
          break;
        }
        default:
          ASSERT_EQ(p.find(key), there ? std::optional(known[key]) : std::nullopt);
      }
    }
    // In batches: all that are gone come back, all others go.
    std::vector<word> absent, present, values;
    for (const word key : keys) (known.contains(key) ? present : absent).push_back(key);
    values.assign(absent.size(), 5);
    EXPECT_EQ(p.insert(absent, values).count, absent.size());
    EXPECT_EQ(p.erase(present).count, present.size());
    known.clear();
    for (const word key : absent) known[key] = 5;
  }
  auto p = map.find_only();
  std::vector<word> values(n);
  EXPECT_EQ(p.find(keys, values).count, known.size());
  for (const word key : keys)
    ASSERT_EQ(p.find(key), known.contains(key) ? std::optional<word>(5) : std::nullopt);
}

TEST(HashMapDense, AFullPartTakesNoMore) {
  const team world = testing::world();
  table map(world, 300 * static_cast<word>(world.size()), dense(1.0));
  const word all = map.slots_per_rank() * static_cast<word>(world.size());
  word inserted = 0;
  {
    auto p = map.insert_only();
    bool full = false;
    for (word key = 1; !full; ++key) {
      if (map.owner(key) != world.me()) continue;
      const auto r = p.insert(key, key);
      inserted += r.count;
      full = r.outcome.code() == errc::no_mem;
      ASSERT_TRUE(full || r.outcome.ok());
    }
  }
  EXPECT_EQ(inserted, map.slots_per_rank());
  EXPECT_EQ(map.size(), all);
}

}  // namespace
}  // namespace oriel::testing
