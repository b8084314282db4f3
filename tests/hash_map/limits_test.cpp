// What hash_map refuses: what a table does not hold, sizes that differ, phases out of order.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/hash_map/tested_map.hpp"

namespace oriel::testing {
namespace {

TEST(HashMapLimits, AFullPartIsAnErrorThatNamesItsRankAndLoad) {
  hash_map<word, word> map(world(), 8, on_kind({.name = "small", .load_factor = 1.0}));
  const word slots = map.slots_per_rank();
  std::vector<word> keys;
  for (word k = 0; keys.size() < slots + 1; ++k)
    if (map.owner(k) == rank{0}) keys.push_back(k);
  {
    auto p = map.insert_only();
    if (me() == 0) {
      const auto r = p.insert(keys, keys);
      EXPECT_EQ(r.outcome.code(), errc::no_mem);
      EXPECT_EQ(r.count, slots);
      EXPECT_NE(map.failure().find("'small': the part of rank 0 is full"), std::string::npos);
      EXPECT_NE(map.failure().find("load 1.00"), std::string::npos) << map.failure();
    }
  }
  {
    // A full table is found in, and looked through for what is not in it.
    auto p = map.find_only();
    EXPECT_EQ(p.find(keys[0]), keys[0]);
    EXPECT_EQ(p.find(keys[slots]), std::nullopt);
  }
  {
    // The slot of an erased key is that key's, until the map is cleared.
    auto p = map.mixed();
    if (me() == 0) {
      EXPECT_EQ(p.erase(keys[0]).count, 1u);
      EXPECT_EQ(p.insert(keys[slots], 1).outcome.code(), errc::no_mem);
      EXPECT_EQ(p.insert(keys[0], 1).count, 1u);
      EXPECT_EQ(p.erase(keys[1]).count, 1u);
    }
  }
  {
    auto p = map.insert_only();
    if (me() == 0) {
      EXPECT_EQ(p.insert(keys[slots], 1).outcome.code(), errc::no_mem);
      EXPECT_EQ(p.fetch_add(keys[1], 7).count, 1u);
      EXPECT_EQ(p.fetch_add(keys[1], 1).count, 0u);
    }
  }
  {
    auto p = map.find_only();
    EXPECT_EQ(p.find(keys[0]), word{1});
    EXPECT_EQ(p.find(keys[1]), word{8});
  }
  map.clear();
  EXPECT_EQ(map.size(), 0u);
  auto p = map.insert_only();
  if (me() == 0) {
    EXPECT_EQ(p.insert(keys[slots], 1).count, 1u);
  }
}

TEST(HashMapLimits, NobodyCountsWhatOthersWrite) {
  hash_map<word, word> map(world(), 100, {.name = "busy"});
  const auto counted = [&] { return catch_error([&] { (void)map.size(); }); };
  const auto looked_at = [&] {
    return catch_error([&] { map.for_each_local([](word, word) {}); });
  };
  {
    auto p = map.insert_only();
    EXPECT_TRUE(p.insert(static_cast<word>(me()), 1).outcome.ok());
    EXPECT_EQ(name(counted().code), "rma_sync");
    EXPECT_NE(counted().text.find("'busy': size() in an insert_only phase"), std::string::npos)
        << counted().text;
    EXPECT_EQ(name(looked_at().code), "rma_sync");
  }
  {
    auto p = map.mixed();
    EXPECT_EQ(name(counted().code), "rma_sync");
    EXPECT_EQ(name(looked_at().code), "rma_sync");
  }
  auto p = map.find_only();
  EXPECT_EQ(counted().text, "");
  EXPECT_EQ(map.size(), static_cast<word>(ranks()));
}

TEST(HashMapLimits, WhatAPhaseRefusesHasAText) {
  hash_map<word, word> map(world(), 100, {.name = "terse"});
  const std::array<word, 2> two{1, 2};
  auto p = map.mixed();
  const auto sizes =
      catch_error([&] { p.insert(two, std::span(two).first(1)).outcome.or_throw(); });
  EXPECT_NE(sizes.text.find("'terse': spans of 2 keys, 1 values"), std::string::npos) << sizes.text;
  EXPECT_TRUE(p.end().ok());
  const auto late = catch_error([&] { p.insert(1, 2).outcome.or_throw(); });
  EXPECT_NE(late.text.find("a phase that has ended"), std::string::npos) << late.text;
}

TEST(HashMapLimits, ReservedKeysAreRefused) {
  hash_map<word, word> map(world(), 100, on_kind());
  auto p = map.mixed();
  for (const word low : {0, 1, 2}) {
    EXPECT_EQ(p.insert(~low, 1).outcome.code(), errc::arg);
    EXPECT_EQ(p.erase(~low).outcome.code(), errc::arg);
    EXPECT_EQ(p.find(~low), std::nullopt);
  }
  EXPECT_NE(map.failure().find("18446744073709551615 is reserved"), std::string::npos)
      << map.failure();
  const std::array<word, 3> keys{1, ~word{0}, 2};
  EXPECT_EQ(p.insert_or_assign(keys, keys).outcome.code(), errc::arg);
  EXPECT_EQ(p.find(1), word{1});
  EXPECT_EQ(p.find(2), std::nullopt);  // a batch ends at its first failure
  hash_map<word, word, slot_layout::general> every(world(), 100, on_kind());
  auto q = every.mixed();
  const word mine = ~static_cast<word>(me());
  EXPECT_EQ(q.insert(mine, 3).count, 1u);
  EXPECT_EQ(q.find(mine), word{3});
}

TEST(HashMapLimits, BadSizesAreRefused) {
  using map_type = hash_map<word, word>;
  for (const double load : {0.0, 1.5})
    EXPECT_EQ(catch_error([&] { map_type(world(), 10, {.load_factor = load}); }).code, errc::arg);
  EXPECT_EQ(catch_error([] { map_type(world(), ~word{0}); }).code, errc::arg);
  if (ranks() > 1) {
    const auto e = catch_error([] { map_type(world(), me() == 0 ? 10 : 1'000'000); });
    EXPECT_EQ(e.code, errc::mismatched_assertions) << e.text;
  }
  map_type map(world(), 0, on_kind());
  auto p = map.mixed();
  const std::array<word, 2> two{1, 2};
  std::array<word, 1> one{};
  std::array<bool, 1> flag{};
  EXPECT_EQ(p.insert(two, one).outcome.code(), errc::count);
  EXPECT_EQ(p.insert(two, two, flag).outcome.code(), errc::count);
  EXPECT_EQ(p.insert_or_assign(two, one).outcome.code(), errc::count);
  EXPECT_EQ(p.fetch_add(two, two, one).outcome.code(), errc::count);
  EXPECT_EQ(p.find(two, one).outcome.code(), errc::count);
  EXPECT_EQ(p.erase(two, flag).outcome.code(), errc::count);
  EXPECT_TRUE(p.insert(std::span<const word>{}, std::span<const word>{}).outcome.ok());
}

TEST(HashMapPhases, AreOpenedTogetherAndOneAtATime) {
  hash_map<word, word> map(world(), 10, on_kind());
  auto p = map.insert_only();
  EXPECT_EQ(catch_error([&] { auto q = map.find_only(); }).code, errc::rma_sync);
  EXPECT_EQ(catch_error([&] { map.clear(); }).code, errc::rma_sync);
  auto moved = std::move(p);
  EXPECT_TRUE(moved.end().ok());
  EXPECT_TRUE(moved.end().ok());
  EXPECT_EQ(moved.insert(1, 1).outcome.code(), errc::rma_sync);
  if (ranks() > 1) {
    const auto e = catch_error([&] {
      if (me() == 0)
        auto q = map.insert_only();
      else
        auto q = map.mixed();
    });
    EXPECT_EQ(e.code, errc::rma_sync);
    EXPECT_NE(e.text.find("different phases"), std::string::npos);
  }
  auto q = map.find_only();
  EXPECT_EQ(q.find(1), std::nullopt);
}

}  // namespace
}  // namespace oriel::testing
