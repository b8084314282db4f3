// hash_map::rehash against std::unordered_map: what was in the table is in it afterwards, whether
// it grows, shrinks, or cannot be had.
#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tests/hash_map/tested_map.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

// A key of several words, so that slots are general.
struct pair_key {
  word a = 0, b = 0;
};
template <class K>
K made(word i) {
  if constexpr (std::is_same_v<K, pair_key>)
    return {i, ~i};
  else
    return static_cast<K>(i);
}

template <class K>
class HashMapRehash : public ::testing::Test {
 public:
  using map_type = hash_map<K, word>;
  // By the number that a key is made of.
  using model = std::unordered_map<word, word>;

  // Every rank finds every element of its own model, and all of them together are the table.
  static void expect_holds(map_type& map, const model& mine, word absent_from) {
    EXPECT_EQ(map.size(), world().allreduce(mine.size(), atomic_op::sum));
    std::vector<K> keys;
    std::vector<word> values, expected;
    for (const auto& [k, v] : mine) {
      keys.push_back(made<K>(k));
      expected.push_back(v);
    }
    auto p = map.find_only();
    values.resize(keys.size());
    EXPECT_EQ(p.find(keys, values).count, keys.size()) << map.failure();
    EXPECT_EQ(values, expected);
    for (word i = 0; i < 10; ++i) EXPECT_EQ(p.find(made<K>(absent_from + i)), std::nullopt);
  }
};
using keys = ::testing::Types<word, std::uint32_t, pair_key>;
TYPED_TEST_SUITE(HashMapRehash, keys);

TYPED_TEST(HashMapRehash, KeepsWhatAnyRankHasLeftInTheTable) {
  word used = seed();
  world().broadcast(used, rank{0}).or_throw();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(used));
  std::mt19937_64 random(used + static_cast<word>(me()));
  const word n = slow() ? 150 : 5'000;
  const word range = 2 * n, first = static_cast<word>(me()) * range;
  const word nowhere = static_cast<word>(ranks()) * range;
  typename TestFixture::map_type map(world(), range * static_cast<word>(ranks()),
                                     on_kind({.name = "moved"}));
  typename TestFixture::model mine;
  // As many as there are now, more, as many as there are, few, and more again.
  const std::array<word, 5> expected{range, 5 * range, 1, n, range};
  for (const word size : expected) {
    {
      auto p = map.mixed();
      for (word i = 0; i < n / 5; ++i) {
        const word k = first + random() % range, v = random();
        if (random() % 3 == 0) {
          EXPECT_EQ(p.erase(made<TypeParam>(k)).count, mine.erase(k));
        } else {
          EXPECT_TRUE(p.insert_or_assign(made<TypeParam>(k), v).outcome.ok()) << map.failure();
          mine[k] = v;
        }
      }
    }
    const word before = map.slots_per_rank();
    map.rehash(size * static_cast<word>(ranks()));
    TestFixture::expect_holds(map, mine, nowhere);
    if (size == 5 * range) {
      EXPECT_GT(map.slots_per_rank(), before);
    } else if (size == 1) {
      EXPECT_LT(map.slots_per_rank(), before);
    }
  }
}

TEST(HashMapRehashLimits, AFullTableHasRoomAfterwardsAndItsTombstonesAreGone) {
  hash_map<word, word> map(world(), 8, on_kind({.name = "small", .load_factor = 1.0}));
  const word slots = map.slots_per_rank();
  std::vector<word> keys;  // more of this rank than its part takes
  for (word k = 0; keys.size() < slots + 1; ++k)
    if (map.owner(k) == world().me()) keys.push_back(k);
  {
    auto p = map.insert_only();
    EXPECT_EQ(p.insert(keys, keys).outcome.code(), errc::no_mem);
  }
  EXPECT_NE(map.failure(), "");
  map.rehash(slots * static_cast<word>(ranks()) * 2);
  EXPECT_EQ(map.failure(), "");
  {
    auto p = map.insert_only();
    EXPECT_EQ(p.insert(keys, keys).count, 1u) << map.failure();
  }
  {
    auto p = map.mixed();
    EXPECT_EQ(p.erase(keys).count, keys.size());
  }
  map.rehash(8);
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.slots_per_rank(), slots);
  auto p = map.insert_only();
  EXPECT_EQ(p.insert(std::span(keys).first(slots), std::span(keys).first(slots)).count, slots)
      << "no slot of an erased key is left: " << map.failure();
}

// All keys are one rank's, so that a table for as many as there are cannot hold them.
TEST(HashMapRehashLimits, WhatDoesNotFitThrowsOnEveryRankAndMovesNothing) {
  if (ranks() == 1) GTEST_SKIP() << "one rank's part holds all";
  const word n = ranks() == 2 ? 320 : 40 * static_cast<word>(ranks());
  hash_map<word, word> map(world(), n * static_cast<word>(ranks()),
                           on_kind({.name = "uneven", .load_factor = 1.0}));
  std::vector<word> keys;
  for (word k = 0; keys.size() < n; ++k)
    if (map.owner(k) == rank{1}) keys.push_back(k);
  {
    auto p = map.insert_only();
    if (me() == 0) {
      EXPECT_EQ(p.insert(keys, keys).count, n) << map.failure();
    }
  }
  const word before = map.slots_per_rank();
  const thrown t = catch_error([&] { map.rehash(0); });
  EXPECT_EQ(t.code, errc::no_mem);
  EXPECT_NE(t.text.find("'uneven': the part of rank 1 is full"), std::string::npos) << t.text;
  EXPECT_EQ(map.slots_per_rank(), before);
  EXPECT_EQ(map.size(), n);
  auto p = map.find_only();
  std::vector<word> values(n);
  EXPECT_EQ(p.find(keys, values).count, n);
  EXPECT_EQ(values, keys);
}

TEST(HashMapRehashLimits, MemoryThatCannotBeHadThrowsOnEveryRankAndMovesNothing) {
  hash_map<word, word> map(world(), 100, on_kind({.name = "kept"}));
  const word mine = static_cast<word>(me());
  {
    auto p = map.insert_only();
    EXPECT_EQ(p.insert(mine, mine + 5).count, 1u);
  }
  const word before = map.slots_per_rank();
  for (const word beyond : {word{1} << 42, ~word{0}}) {
    const thrown t = catch_error([&] { map.rehash(beyond); });
    EXPECT_EQ(t.code, beyond == ~word{0} ? errc::arg : errc::no_mem) << t.text;
    const auto codes = world().allgather(t.code);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), t.code), ranks());
    EXPECT_NE(t.text.find("kept"), std::string::npos) << t.text;
  }
  EXPECT_EQ(map.slots_per_rank(), before);
  {
    auto p = map.mixed();
    EXPECT_EQ(p.find(mine), mine + 5);
    EXPECT_EQ(p.insert_or_assign(mine, 1).count, 0u);
  }
  map.rehash(1000);
  EXPECT_EQ(map.size(), static_cast<word>(ranks()));
}

TEST(HashMapRehashLimits, IsForBetweenPhasesOnAllRanks) {
  hash_map<word, word> map(world(), 10, on_kind({.name = "open"}));
  {
    auto p = map.find_only();
    const thrown t = catch_error([&] { map.rehash(100); });
    EXPECT_EQ(t.code, errc::rma_sync);
    EXPECT_NE(t.text.find("'open': rehash() in a phase of rank 0"), std::string::npos) << t.text;
  }
  map.rehash(100);
}

TEST(HashMapRehashLimits, ThrowsWhereTheMapHasBeenMovedFrom) {
  hash_map<word, word> from(world(), 10, on_kind({.name = "moved"})), to(std::move(from));
  for (const thrown& t :
       {catch_error([&] { from.rehash(100); }), catch_error([&] { auto p = from.mixed(); }),
        catch_error([&] { static_cast<void>(from.slots_per_rank()); })}) {
    EXPECT_EQ(t.code, errc::win);
    EXPECT_NE(t.text.find("moved from"), std::string::npos) << t.text;
  }
  from = std::move(to);
  from.rehash(100);
}

}  // namespace
}  // namespace oriel::testing
