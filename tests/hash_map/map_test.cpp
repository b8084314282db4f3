// hash_map against std::unordered_map, on every number of ranks and across nodes; in memory of a
// device too, with a test driver in the vendor's place (ORIEL_TEST_KIND).
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tests/hash_map/tested_map.hpp"

namespace oriel::testing {
namespace {

struct name24 {
  std::array<char, 24> text{};
};
struct triple {
  word a = 0, b = 0, c = 0;
  friend bool operator==(const triple&, const triple&) = default;
};

// Key and value number `i` of each kind of map.
template <class T>
T made(word i) {
  if constexpr (std::is_same_v<T, name24>) {
    name24 n;
    const std::string text = "name " + std::to_string(i);
    std::copy(text.begin(), text.end(), n.text.begin());
    return n;
  } else if constexpr (std::is_same_v<T, triple>) {
    return {i, i * 3, ~i};
  } else {
    return static_cast<T>(i);
  }
}

template <class Map>
class HashMap : public ::testing::Test {
 public:
  using key = typename Map::key_type;
  using value = typename Map::mapped_type;
  static word many() { return slow() ? 300 : 20'000; }
  static std::vector<key> keys(word first, word n, word step = 1) {
    std::vector<key> v;
    for (word i = 0; i < n; ++i) v.push_back(made<key>(first + i * step));
    return v;
  }
  static std::vector<value> values(word first, word n, word step = 1) {
    std::vector<value> v;
    for (word i = 0; i < n; ++i) v.push_back(made<value>(first + i * step));
    return v;
  }
};
using maps = ::testing::Types<hash_map<word, word>, hash_map<word, word, slot_layout::general>,
                              hash_map<std::uint32_t, std::int32_t>, hash_map<name24, triple>,
                              hash_map<word, triple>>;
TYPED_TEST_SUITE(HashMap, maps);

using flags = std::unique_ptr<bool[]>;

TYPED_TEST(HashMap, FindsWhatOthersInserted) {
  const word n = this->many();
  TypeParam map(world(), n * static_cast<word>(ranks()), on_kind());
  const word mine = static_cast<word>(me()) * n;
  {
    auto p = map.insert_only();
    const auto r = p.insert(this->keys(mine, n), this->values(mine + 1, n));
    EXPECT_TRUE(r.outcome.ok()) << map.failure();
    EXPECT_EQ(r.count, n);
  }
  EXPECT_EQ(map.size(), n * static_cast<word>(ranks()));
  auto p = map.find_only();
  // Every rank looks for the next one's keys, and for as many that are nowhere.
  const word theirs = static_cast<word>(world().next().value) * n;
  std::vector keys = this->keys(theirs, n);
  const std::vector absent = this->keys(n * static_cast<word>(ranks()), n);
  keys.insert(keys.end(), absent.begin(), absent.end());
  const auto untouched = made<typename TypeParam::mapped_type>(999'999'999);
  std::vector found(2 * n, untouched);
  const flags is(new bool[2 * n]);
  const auto r = p.find(keys, found, std::span(is.get(), 2 * n));
  EXPECT_TRUE(r.outcome.ok()) << map.failure();
  EXPECT_EQ(r.count, n);
  for (word i = 0; i < n; ++i) {
    ASSERT_TRUE(is[i]) << i;
    ASSERT_EQ(found[i], made<typename TypeParam::mapped_type>(theirs + i + 1)) << i;
    ASSERT_FALSE(is[n + i]) << i;
    ASSERT_EQ(found[n + i], untouched) << i;
  }
  EXPECT_EQ(p.find(keys[0]), found[0]);
  EXPECT_EQ(p.find(keys[n]), std::nullopt);
}

TYPED_TEST(HashMap, OneInserterOfAKeyWins) {
  const word n = this->many();
  TypeParam map(world(), n, on_kind());
  const flags won(new bool[n]);
  const word tag = static_cast<word>(me()) + 1;
  {
    auto p = map.insert_only();
    world().barrier().or_throw();  // at the same time
    const auto r = p.insert(this->keys(0, n), this->values(tag, n, 0), std::span(won.get(), n));
    EXPECT_TRUE(r.outcome.ok()) << map.failure();
    EXPECT_EQ(r.count, static_cast<word>(std::count(won.get(), won.get() + n, true)));
  }
  EXPECT_EQ(map.size(), n);
  auto p = map.find_only();
  auto got = this->values(0, n, 0);
  EXPECT_EQ(p.find(this->keys(0, n), got).count, n);
  word all = 0;
  for (word i = 0; i < n; ++i) {
    ASSERT_EQ(got[i] == made<typename TypeParam::mapped_type>(tag), won[i]) << i;
    all += won[i] ? 1 : 0;
  }
  EXPECT_EQ(world().allreduce(all, atomic_op::sum), n);
}

TYPED_TEST(HashMap, DoesWhatAnUnorderedMapDoes) {
  const word n = this->many() / 4;
  constexpr word range = 120;
  TypeParam map(world(), static_cast<word>(ranks()) * (range + n), on_kind());
  std::unordered_map<word, word> oracle;
  std::mt19937_64 random(static_cast<word>(me()) + 17);
  const word first = static_cast<word>(me()) * range;  // of one's own keys: others work beside
  auto p = map.mixed();
  for (word i = 0; i < n; ++i) {
    const word k = first + random() % range, v = random() % 1000;
    const auto key = made<typename TypeParam::key_type>(k);
    const auto value = made<typename TypeParam::mapped_type>(v);
    switch (random() % 4) {
      case 0:
        ASSERT_EQ(p.insert(key, value).count, oracle.emplace(k, v).second ? 1u : 0u) << i;
        break;
      case 1:
        ASSERT_EQ(p.insert_or_assign(key, value).count,
                  oracle.insert_or_assign(k, v).second ? 1u : 0u);
        break;
      case 2:
        ASSERT_EQ(p.erase(key).count, oracle.erase(k)) << i;
        break;
      default: {
        const auto found = p.find(key);
        const auto expected = oracle.find(k);
        ASSERT_EQ(found.has_value(), expected != oracle.end()) << i;
        if (found) {
          ASSERT_EQ(*found, made<typename TypeParam::mapped_type>(expected->second)) << i;
        }
      }
    }
  }
  EXPECT_TRUE(p.end().ok());
  EXPECT_EQ(map.failure(), "");
  EXPECT_EQ(map.size(), world().allreduce(static_cast<word>(oracle.size()), atomic_op::sum));
}

// Every rank assigns values of one of two patterns to the same few keys while all read them.
TYPED_TEST(HashMap, ValuesAreFoundWhole) {
  using value = typename TypeParam::mapped_type;
  const word rounds = this->many() / 8;
  TypeParam map(world(), 1000, on_kind());
  auto p = map.mixed();
  const value one = made<value>(1), two = made<value>(2);
  for (word i = 0; i < rounds; ++i) {
    const auto key = made<typename TypeParam::key_type>(i % 3);
    EXPECT_TRUE(
        p.insert_or_assign(key, (i + static_cast<word>(me())) % 2 == 0 ? one : two).outcome.ok());
    const auto seen = p.find(made<typename TypeParam::key_type>((i + 1) % 3));
    if (seen) {
      ASSERT_TRUE(*seen == one || *seen == two) << i;
    }
  }
  EXPECT_TRUE(p.end().ok());
  EXPECT_EQ(map.size(), std::min<word>(rounds, 3));
}

TYPED_TEST(HashMap, OneEraserOfAKeyWins) {
  const word n = this->many() / 4;
  TypeParam map(world(), 4 * n, on_kind());
  {
    auto p = map.insert_only();
    if (me() == 0) {
      EXPECT_EQ(p.insert(this->keys(0, n), this->values(0, n)).count, n);
    }
  }
  auto p = map.mixed();
  const word mine = p.erase(this->keys(0, n)).count;
  EXPECT_EQ(world().allreduce(mine, atomic_op::sum), n);
  EXPECT_EQ(p.find(made<typename TypeParam::key_type>(0)), std::nullopt);
  EXPECT_TRUE(p.end().ok());
  EXPECT_EQ(map.size(), 0u);
  // The erased come back with new values.
  auto again = map.mixed();
  if (me() == 0) {
    EXPECT_EQ(again.insert(this->keys(0, n), this->values(5, n)).count, n);
  }
  EXPECT_TRUE(again.end().ok());
  EXPECT_EQ(map.size(), n);
  auto found = map.find_only();
  EXPECT_EQ(found.find(made<typename TypeParam::key_type>(1)),
            made<typename TypeParam::mapped_type>(6));
}

// A few keys that come and go fill no table, however often they do: each has one slot.
TYPED_TEST(HashMap, KeysThatComeAndGoTakeOneSlotEach) {
  const word keys = static_cast<word>(ranks()) + 2;
  TypeParam map(world(), keys, on_kind({.load_factor = 1.0}));
  const word rounds = slow() ? 2 * map.slots_per_rank() : 40 * map.slots_per_rank();
  const auto mine = made<typename TypeParam::key_type>(static_cast<word>(me()));
  const auto shared = [&](word i) {
    return made<typename TypeParam::key_type>(static_cast<word>(ranks()) + i % 2);
  };
  {
    auto p = map.mixed();
    word here = 0;  // insertions less erasures of the shared keys
    for (word i = 0; i < rounds; ++i) {
      const auto value = made<typename TypeParam::mapped_type>(i);
      ASSERT_EQ(p.insert(mine, value).count, 1u) << map.failure();
      ASSERT_EQ(p.find(mine), value);
      const auto r = i % 3 == 0 ? p.insert(shared(i), value) : p.insert_or_assign(shared(i), value);
      ASSERT_TRUE(r.outcome.ok()) << map.failure();
      here += r.count;
      ASSERT_EQ(p.erase(mine).count, 1u) << map.failure();
      ASSERT_EQ(p.find(mine), std::nullopt);
      if (i % 2 == 0) here -= p.erase(shared(i + i / 2 % 2)).count;
    }
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(map.size(), world().allreduce(here, atomic_op::sum));
  }
  // Those that left take their slots again where nothing is read, too.
  {
    auto p = map.insert_only();
    EXPECT_EQ(p.insert(mine, made<typename TypeParam::mapped_type>(5)).count, 1u);
  }
  auto p = map.find_only();
  const auto next = made<typename TypeParam::key_type>(static_cast<word>(world().next().value));
  EXPECT_EQ(p.find(next), made<typename TypeParam::mapped_type>(5)) << map.failure();
  EXPECT_EQ(map.failure(), "");
}

template <class Map>
void expect_exact_sums(bool mixed) {
  const word n = slow() ? 400 : 50'000;
  constexpr word range = 97;
  Map map(world(), range, on_kind());
  std::vector<typename Map::key_type> keys;
  std::vector<typename Map::mapped_type> ones(n, 1), before(n);
  for (word i = 0; i < n; ++i) keys.push_back(static_cast<typename Map::key_type>(i % range));
  const auto work = [&](auto phase) {
    const auto r = phase.fetch_add(keys, ones, before);
    EXPECT_TRUE(r.outcome.ok()) << map.failure();
    EXPECT_EQ(world().allreduce(r.count, atomic_op::sum), range);
  };
  if (mixed)
    work(map.mixed());
  else
    work(map.insert_only());
  // The values before of one key are all different: added up, they are a triangle's.
  word mine = 0;
  for (word i = 0; i < n; i += range) mine += static_cast<word>(before[i]);
  const word times = (n + range - 1) / range * static_cast<word>(ranks());
  EXPECT_EQ(world().allreduce(mine, atomic_op::sum), times * (times - 1) / 2);
  word sum = 0;
  map.for_each_local([&sum](auto, auto v) { sum += static_cast<word>(v); });
  EXPECT_EQ(world().allreduce(sum, atomic_op::sum), n * static_cast<word>(ranks()));
}

TEST(HashMapSums, AreExact) {
  for (const bool mixed : {false, true}) {
    expect_exact_sums<hash_map<word, word>>(mixed);
    expect_exact_sums<hash_map<word, std::int32_t>>(mixed);
    expect_exact_sums<hash_map<std::uint32_t, word>>(mixed);
  }
}

TEST(HashMapSums, OfNarrowIntegersWrap) {
  hash_map<word, std::uint8_t> map(world(), 10, on_kind());
  auto p = map.mixed();
  std::uint8_t before = 1;
  const word mine = static_cast<word>(me());
  EXPECT_EQ(p.fetch_add(mine, 200, &before).count, 1u);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(p.fetch_add(mine, 100, &before).count, 0u);
  EXPECT_EQ(before, 200);
  EXPECT_EQ(p.find(mine), std::uint8_t{44});
}

// Threads of a rank work in its phase together.
TEST(HashMapThreads, AddExactly) {
  constexpr int threads = 3;
  const word n = slow() ? 100 : 3000;
  hash_map<word, triple> wide(world(), 64, on_kind());
  hash_map<word, word> map(world(), 64, on_kind());
  auto p = map.mixed();
  auto q = wide.mixed();
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (word i = 0; i < n; ++i) {
        EXPECT_TRUE(p.fetch_add(i % 7, 1).outcome.ok());
        const word v = i + static_cast<word>(t);
        EXPECT_TRUE(q.insert_or_assign(i % 7, made<triple>(v)).outcome.ok());
        const auto seen = q.find((i + 1) % 7);
        if (seen) {
          EXPECT_EQ(*seen, made<triple>(seen->a));
        }
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_TRUE(p.end().ok());
  word sum = 0;
  map.for_each_local([&sum](word, word v) { sum += v; });
  EXPECT_EQ(world().allreduce(sum, atomic_op::sum), threads * n * static_cast<word>(ranks()));
}

}  // namespace
}  // namespace oriel::testing
