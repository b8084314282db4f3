// Batches that work on cache lines of slots together, on tables of a few lines: against a map of
// the standard library, and against the operations that work key by key.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "oriel/hash_map/block_finder.hpp"
#include "oriel/hash_map/block_writer.hpp"
#include "oriel/hash_map/found_values.hpp"
#include "tests/support/seed.hpp"

namespace oriel::detail {
namespace {

using word = std::uint64_t;
using slot = hash_slot<word, word>;
using image = word_image<word>;
using enum table_action;

word printed_seed() {
  const word seed = testing::seed();
  std::cout << "ORIEL_TEST_SEED=" << seed << std::endl;
  return seed;
}

// Parts of `slots` slots each, as two ranks of a node map them.
struct table {
  explicit table(word slots) : shape{slots - 1, 2} {
    for (auto& m : memory) {
      m = std::make_unique<line[]>(slots / line_slots);
      parts.push_back(m[0].words);
    }
  }
  struct alignas(64) line {
    word words[8] = {};
  };
  table_shape shape;
  std::unique_ptr<line[]> memory[2];
  std::vector<word*> parts;

  [[nodiscard]] key_blocks<slot> blocks() const { return {parts, shape}; }
  void erase(word key) const {
    blocks().in_its_part(image::of(key),
                         [](auto& part, const image& k, word h) { return part.erase(k, h); });
  }
  // Slots that are taken or once were.
  [[nodiscard]] std::size_t used() const {
    std::size_t n = 0;
    for (const word* part : parts)
      for (word i = 0; i <= shape.mask; ++i) n += part[2 * i] != slot::empty ? 1 : 0;
    return n;
  }
};

struct batch {
  std::vector<word> keys, values;
  std::vector<slot_answer> answers;
  std::vector<word> results;
};

template <table_action A>
typename block_writer<slot>::outcome write(const table& t, batch& b) {
  b.answers.assign(b.keys.size(), slot_answer::refused);
  b.results.assign(b.keys.size(), 0);
  auto given = [&](std::size_t i) { return image::of(b.values[i]); };
  auto take = [&](std::size_t i, slot_answer a, const image& v) {
    b.answers[i] = a;
    b.results[i] = v.word[0];
  };
  return block_writer<slot>(t.blocks()).run<A>(b.keys, given, take);
}
typename block_finder<slot>::outcome find_all(const table& t, batch& b) {
  b.results.assign(b.keys.size(), 99);
  b.answers.assign(b.keys.size(), slot_answer::refused);
  const auto flags = std::make_unique<bool[]>(b.keys.size());
  const found_values<word> found(b.results, std::span(flags.get(), b.keys.size()));
  const auto done = block_finder<slot>(t.blocks()).find(b.keys, found);
  for (std::size_t i = 0; i < done.looked_at; ++i)
    b.answers[i] = flags[i] ? slot_answer::present : slot_answer::absent;
  return done;
}

TEST(LineVectors, SeeWhatLoopsSee) {
#if defined(ORIEL_HAS_LINE_VECTORS)
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no such vectors";
  std::mt19937_64 random(printed_seed());
  table t(256);
  line_block block;
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t k = 0; k < lines_of_block; ++k) {
      block.lines[k] = t.memory[0][k].words;
      block.wanted[k] = 3 + random() % 3;
      block.first[k] = static_cast<std::uint8_t>(random() % line_slots);
      for (word& w : t.memory[0][k].words) w = random() % 6;
    }
    std::array<word, lines_of_block> picked, picked_by_words;
    EXPECT_EQ(pick_by_vectors(block, lines_of_block, picked.data()),
              pick_by_words(block, lines_of_block, picked_by_words.data()));
    EXPECT_EQ(picked, picked_by_words);
    std::array<line_place, lines_of_block> places, places_by_words;
    find_places_by_vectors(block, lines_of_block, places.data());
    find_places_by_words(block, lines_of_block, places_by_words.data());
    EXPECT_EQ(places, places_by_words);
  }
#endif
}

// Keys of few values, so that batches have equal ones; tables that fill up.
template <table_action A>
void compare_with_standard(std::mt19937_64& random) {
  for (const word slots : {16, 64, 1024}) {
    table t(slots);
    std::unordered_map<word, word> expected;
    for (int round = 0; round < 20; ++round) {
      batch b;
      for (word i = random() % (300 + 2 * slots); i > 0; --i) {
        b.keys.push_back(random() % (slots < 64 ? slots : slots * 3 / 2) * 0x9e3779b97f4a7c15u);
        b.values.push_back(random());
      }
      const auto done = write<A>(t, b);
      ASSERT_EQ(done.looked_at, b.keys.size());
      ASSERT_EQ(done.answer, slot_answer::present);
      for (std::size_t i = 0; i < b.keys.size(); ++i) {
        const auto [at, is_new] = expected.try_emplace(b.keys[i], A == add ? 0 : b.values[i]);
        ASSERT_EQ(b.answers[i], is_new ? slot_answer::absent : slot_answer::present);
        if (A == add) {
          ASSERT_EQ(b.results[i], at->second);
          at->second += b.values[i];
        }
        if (A == assign) at->second = b.values[i];
      }
      ASSERT_EQ(t.used(), expected.size());
      b.keys.push_back(5);  // is nowhere
      const auto found = find_all(t, b);
      ASSERT_EQ(found.looked_at, b.keys.size());
      ASSERT_EQ(found.present, b.keys.size() - 1);
      ASSERT_EQ(b.answers.back(), slot_answer::absent);
      ASSERT_EQ(b.results.back(), 99u) << "it stays as it was";
      for (std::size_t i = 0; i + 1 < b.keys.size(); ++i)
        ASSERT_EQ(b.results[i], expected.at(b.keys[i]));
    }
  }
}
TEST(Blocks, InsertAsTheStandardsMap) {
  std::mt19937_64 random(printed_seed());
  compare_with_standard<insert>(random);
}
TEST(Blocks, AssignAsTheStandardsMap) {
  std::mt19937_64 random(printed_seed());
  compare_with_standard<assign>(random);
}
TEST(Blocks, AddAsTheStandardsMap) {
  std::mt19937_64 random(printed_seed());
  compare_with_standard<add>(random);
}

// Others' tombstones, and a key's own, which takes it again.
TEST(Blocks, KeysThatWereErasedComeBackToTheirSlots) {
  std::mt19937_64 random(printed_seed());
  for (int round = 0; round < 200; ++round) {
    table t(32);
    batch b;
    for (word i = 0; i < 40; ++i) b.keys.push_back(random() % 1000 * 0x9e3779b97f4a7c15u);
    b.values.assign(b.keys.size(), 1);
    write<insert>(t, b);
    const std::size_t used = t.used();
    for (const word k : b.keys)
      if (random() % 2 == 0) t.erase(k);
    b.values.assign(b.keys.size(), 2);
    ASSERT_EQ(write<assign>(t, b).answer, slot_answer::present);
    ASSERT_EQ(t.used(), used);
    ASSERT_EQ(find_all(t, b).present, b.keys.size());
    for (const word v : b.results) ASSERT_EQ(v, 2u);
  }
}

TEST(Blocks, EndAtAKeyWithoutASlot) {
  table t(8);
  batch b;
  for (word i = 0; i < 100; ++i) b.keys.push_back(i + 1);
  b.values.assign(100, 7);
  const auto done = write<insert>(t, b);
  EXPECT_EQ(done.answer, slot_answer::full);
  EXPECT_LT(done.looked_at, 100u);
  EXPECT_EQ(b.answers[done.looked_at], slot_answer::refused) << "nothing came back for it";
  for (std::size_t i = 0; i < done.looked_at; ++i)
    EXPECT_NE(b.answers[i], slot_answer::refused) << "key " << i << " comes before it";
}

// Those whose first line was full before are worked on last.
TEST(Blocks, WorkOnEveryKeyBeforeTheOneWithoutASlot) {
  std::mt19937_64 random(printed_seed());
  int ended = 0;
  for (int round = 0; round < 2000; ++round) {
    table t(8);
    batch some, more;
    for (word i = 0; i < 12; ++i) some.keys.push_back(random());
    for (word i = 0; i < 20; ++i) more.keys.push_back(random());
    some.values = some.keys;
    more.values = more.keys;
    write<insert>(t, some);
    const auto done = write<insert>(t, more);
    if (done.answer != slot_answer::full) continue;
    ++ended;
    for (std::size_t i = 0; i < done.looked_at; ++i)
      ASSERT_NE(more.answers[i], slot_answer::refused) << "key " << i << " of " << done.looked_at;
  }
  EXPECT_GT(ended, 1000);
}

TEST(Blocks, EndBeforeTheBlockOfAReservedKey) {
  table t(1024);
  batch b;
  for (word i = 0; i < 300; ++i) b.keys.push_back(i);
  b.values = b.keys;
  b.keys[200] = ~word{1};
  EXPECT_EQ(write<insert>(t, b).looked_at, 192u);
  EXPECT_EQ(t.used(), 192u);
  const auto found = find_all(t, b);
  EXPECT_EQ(found.looked_at, 192u);
  EXPECT_EQ(found.present, 192u);
}

// Whoever of several comes first has inserted a key, and it has one slot.
TEST(Blocks, ThreadsInsertEachKeyOnce) {
  for (int round = 0; round < 20; ++round) {
    table t(4096);
    constexpr word n = 3000;
    std::array<batch, 4> of;
    for (word turn = 0; turn < of.size(); ++turn)
      for (word i = 0; i < n; ++i) {
        of[turn].keys.push_back((i * (turn + 1) * 7 + 1) % 3001 * 0x9e3779b97f4a7c15u);
        of[turn].values.push_back(1);
      }
    std::vector<std::thread> threads;
    for (batch& b : of) threads.emplace_back([&] { write<add>(t, b); });
    for (std::thread& one : threads) one.join();
    std::unordered_map<word, word> expected;
    std::size_t inserted = 0;
    for (const batch& b : of)
      for (std::size_t i = 0; i < n; ++i) {
        ++expected[b.keys[i]];
        inserted += b.answers[i] == slot_answer::absent ? 1 : 0;
      }
    EXPECT_EQ(inserted, expected.size());
    EXPECT_EQ(t.used(), expected.size());
    find_all(t, of[0]);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(of[0].results[i], expected.at(of[0].keys[i]));
  }
}

}  // namespace
}  // namespace oriel::detail
