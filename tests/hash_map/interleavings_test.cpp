// What is done to a part of a table, in every order of the threads' steps: it is linearizable
// (tests/support/interleavings.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oriel/hash_map/table_part.hpp"
#include "tests/support/interleavings.hpp"

namespace oriel::detail {
namespace {

using word = std::uint64_t;
using testing::any_number;
using testing::interleavings;
using testing::next_step;
using testing::progress;
using testing::state;
using testing::stepped_words;
struct pair {
  word a = 0, b = 0;
};

enum class act { insert, assign, add, erase, find };
struct call {
  act what;
  word key;
  word value = 0;
};

word hash(word key) {
  return hash_of(word_image<word>::of(key));
}

// `Mixed`: the threads are in a mixed phase; else in an insert_only one. What was done first always
// was in a mixed one.
// `Dense`: a dense table of two lines; else a sparse one of 8 slots.
template <class Slot, bool Mixed, bool Peeks, bool Dense>
struct table {
  using call = detail::call;
  using model = std::map<word, word>;
  using value_image = typename Slot::value_image;
  static constexpr table_shape shape = table_shape::of(Dense ? 14 : 8, 1);

  static state empty() {
    state s;
    s.memory.resize(shape.places() * Slot::words);
    return s;
  }
  static value_image image(word v) {
    value_image i;
    std::fill_n(i.word, value_image::size, v);
    return i;
  }
  // Makes one step; whether the call has ended with it.
  template <bool Hidden = Mixed>
  static bool advance(state& s, progress& p, const call& c) {
    const auto key = Slot::key_image::of(c.key);
    const word h = hash_of(key);
    using words = stepped_words<Peeks>;
    hash_part<Slot, words, Dense> part(words(s, p), shape);
    value_image told = image(0);
    slot_answer a{};
    try {
      if (c.what == act::insert) a = part.template insert<Hidden>(key, h, image(c.value));
      if (c.what == act::assign) a = part.template assign<Hidden>(key, h, image(c.value));
      if constexpr (value_image::size == 1)
        if (c.what == act::add) a = part.template add<Hidden>(key, h, image(c.value), told);
      if (c.what == act::erase) a = part.erase(key, h);
      if (c.what == act::find) a = part.find_among_writers(key, h, told);
    } catch (const next_step&) {
      return false;
    }
    // A value of several words is whole.
    for (const word w : told.word) EXPECT_EQ(w, told.word[0]);
    p.end_call(static_cast<word>(a), told.word[0]);
    return true;
  }
  // The same by a map.
  static std::pair<word, word> perform(model& m, const call& c) {
    const auto at = m.find(c.key);
    const bool there = at != m.end();
    const word before = there ? at->second : 0;
    const auto told = static_cast<word>(there ? slot_answer::present : slot_answer::absent);
    if (c.what == act::erase) m.erase(c.key);
    if (c.what == act::assign || (c.what == act::insert && !there)) m[c.key] = c.value;
    if (c.what == act::add) m[c.key] = before + c.value;
    return {told, c.what == act::add || c.what == act::find ? before : 0};
  }

  // What the table holds; and no key has two slots, of which it has erased one.
  static bool holds(const state& s, const model& wanted) {
    model found;
    std::set<word> hashes;
    for (word i = 0; i < shape.places(); ++i) {
      if (Dense && i % places_of_line == 0) continue;
      const word* const slot = s.memory.data() + i * Slot::words;
      if (slot[0] == Slot::empty) continue;
      const bool taken = Slot::taken(slot[0]);
      const word key = Slot::packed ? ~slot[0] : slot[Slot::key_at];
      const word h = Slot::packed && !taken ? slot[Slot::value_at] : hash(key);
      if (!hashes.insert(h).second) return false;
      if (taken) found.emplace(key, slot[Slot::value_at]);
    }
    return found == wanted;
  }
};

template <class Slot, bool Mixed = true, bool Peeks = false, bool Dense = false>
void expect_right(const std::vector<call>& first, const std::vector<std::vector<call>>& threads,
                  int most_switches = any_number) {
  using part = table<Slot, Mixed, Peeks, Dense>;
  state s = part::empty();
  typename part::model known;
  for (const call& c : first) {
    progress alone;
    while (!part::template advance<true>(s, alone, c)) {
    }
    part::perform(known, c);
  }
  const interleavings<part> e(s, known, threads, most_switches);
  EXPECT_EQ(e.wrong(), "");
  EXPECT_GT(e.states(), 10u);
}

using packed = hash_slot<word, word>;
using general = hash_slot<word, word, slot_layout::general>;
using wide = hash_slot<word, pair>;

constexpr word k = 5;
// A key whose probes begin where those of k do.
word other() {
  word o = k + 1;
  while (((hash(o) ^ hash(k)) & 7) != 0) ++o;
  return o;
}

template <class Slot>
class HashInterleavings : public ::testing::Test {};
using slots = ::testing::Types<packed, general, wide>;
TYPED_TEST_SUITE(HashInterleavings, slots);

TYPED_TEST(HashInterleavings, OneSlotAKey) {
  using enum act;
  expect_right<TypeParam>({}, {{{insert, k, 1}}, {{insert, k, 2}}, {{find, k}}});
  expect_right<TypeParam>({}, {{{insert, k, 1}, {erase, k}}, {{insert, k, 2}}});
  expect_right<TypeParam>({{insert, k, 1}, {erase, k}},
                          {{{insert, k, 2}}, {{insert, k, 3}}, {{find, k}}});
  expect_right<TypeParam>({{insert, k, 1}}, {{{erase, k}, {insert, k, 2}}, {{insert, k, 3}}});
  expect_right<TypeParam>({{insert, k, 1}}, {{{erase, k}}, {{erase, k}}, {{insert, k, 3}}});
  expect_right<TypeParam>({{insert, other(), 1}, {insert, k, 2}, {erase, other()}},
                          {{{insert, k, 3}}, {{insert, other(), 4}}, {{erase, k}}});
}

TYPED_TEST(HashInterleavings, ValuesOfErasedElementsComeBackNever) {
  using enum act;
  expect_right<TypeParam>({{insert, k, 1}}, {{{assign, k, 2}}, {{erase, k}, {insert, k, 3}}});
  expect_right<TypeParam>({{insert, k, 1}}, {{{assign, k, 2}}, {{erase, k}}, {{find, k}}});
  expect_right<TypeParam>({{insert, k, 1}}, {{{find, k}, {find, k}}, {{erase, k}, {insert, k, 3}}});
  expect_right<TypeParam>({{insert, k, 1}, {erase, k}},
                          {{{assign, k, 2}}, {{insert, k, 3}}, {{find, k}, {erase, k}}}, 5);
}

TYPED_TEST(HashInterleavings, WhatALookHasShownMayBeAnotherWordByNow) {
  using enum act;
  const auto expect = [](const std::vector<call>& first,
                         const std::vector<std::vector<call>>& threads) {
    expect_right<TypeParam, true, true>(first, threads);
  };
  expect({}, {{{insert, k, 1}, {erase, k}}, {{insert, k, 2}}});
  expect({{insert, k, 1}}, {{{erase, k}, {insert, k, 2}}, {{find, k}}});
  expect({{insert, k, 1}}, {{{erase, k}, {insert, k, 2}}, {{assign, k, 3}}});
  expect({{insert, other(), 1}, {insert, k, 2}, {erase, other()}},
         {{{insert, k, 3}, {erase, k}}, {{insert, other(), 4}}});
}

// Tombstones that are met where nobody reads and nobody erases.
TYPED_TEST(HashInterleavings, AnInsertOnlyPhaseTakesErasedKeysAgain) {
  using enum act;
  const word o = other();
  const std::vector<call> erased{{insert, o, hash(k)}, {insert, k, 9}, {erase, o}, {erase, k}};
  expect_right<TypeParam, false>(erased, {{{insert, k, 1}}, {{insert, k, 2}}, {{insert, o, 3}}});
  expect_right<TypeParam, false>(erased, {{{insert, k, 1}, {insert, k, 2}}, {{insert, o, 3}}});
}

// Only packed and other values of one word are added to.
template <class Slot>
void expect_sums() {
  using enum act;
  expect_right<Slot, false>({{insert, k, 1}, {erase, k}}, {{{add, k, 2}}, {{add, k, 4}}});
  expect_right<Slot>({{insert, k, 1}}, {{{add, k, 2}}, {{erase, k}, {insert, k, 10}}});
  expect_right<Slot>({{insert, k, 1}}, {{{add, k, 2}}, {{add, k, 4}}, {{erase, k}}});
  expect_right<Slot>({{insert, k, 1}, {erase, k}}, {{{add, k, 2}}, {{add, k, 4}}, {{find, k}}});
  expect_right<Slot>({{insert, k, 1}}, {{{add, k, 2}}, {{assign, k, 8}}, {{erase, k}}});
}

TEST(HashInterleavings, SumsAreExact) {
  expect_sums<packed>();
  expect_sums<general>();
}

// The value that identifies a packed tombstone may be an element's own.
TEST(HashInterleavings, AValueMayBeTheKeysHash) {
  using enum act;
  const word h = hash(k);
  expect_right<packed>({{insert, k, h}}, {{{find, k}}, {{erase, k}}, {{find, k}}});
  expect_right<packed>({{insert, k, h}}, {{{find, k}}, {{add, k, 1}}, {{add, k, 2}}});
  expect_right<packed>({{insert, k, h}}, {{{assign, k, 1}}, {{erase, k}}, {{find, k}}});
  expect_right<packed>({{insert, k, h - 1}}, {{{add, k, 1}, {add, k, 1}}, {{erase, k}}});
  expect_right<packed>({{insert, k, 1}}, {{{assign, k, h}, {assign, k, 3}}, {{add, k, 1}}});
  expect_right<packed>({{insert, k, h}, {erase, k}}, {{{insert, k, h}}, {{find, k}, {erase, k}}});
}

// A tombstone that looks like another key's for a moment, and one that comes to be on the way.
TEST(HashInterleavings, ATombstoneIsItsKeysAlone) {
  using enum act;
  const word o = other();
  expect_right<packed>({{insert, o, 1}}, {{{erase, o}}, {{insert, k, 2}}, {{insert, k, 3}}});
  expect_right<packed>({{insert, o, 1}, {erase, o}},
                       {{{insert, k, 1}}, {{insert, o, hash(k)}, {erase, o}}, {{insert, k, 2}}}, 4);
  expect_right<packed>({{insert, o, hash(k)}, {erase, o}},
                       {{{insert, k, 1}}, {{insert, o, hash(k)}}, {{erase, o}}});
  expect_right<packed>({{insert, k, 1}, {erase, k}},
                       {{{insert, k, 2}, {erase, k}, {insert, k, 3}}, {{insert, k, 4}}});
}

// Keys whose first line is full. The one that is looked for finds no mark, or its own.
TEST(HashInterleavings, AFindInAFullLineGoesOnWhereItsKeyHas) {
  using enum act;
  const table_shape shape = table_shape::of(14, 1);
  std::vector<word> of_line;
  for (word key = 1; of_line.size() < 9; ++key)
    if (shape.dense_line(hash(key), 0) == 0) of_line.push_back(key);
  const word a = of_line[7], b = of_line[8];
  std::vector<call> full;
  for (word i = 0; i < 7; ++i) full.push_back({insert, of_line[i], i});
  const auto expect = [](const std::vector<call>& first,
                         const std::vector<std::vector<call>>& threads, int most_switches) {
    expect_right<packed, true, false, true>(first, threads, most_switches);
  };
  expect(full, {{{insert, a, 1}}, {{find, a}}}, 2);
  expect(full, {{{insert, a, 1}}, {{insert, a, 2}}}, 2);
  expect(full, {{{insert, a, 1}, {find, a}}, {{insert, b, 2}, {find, b}}}, 2);
  full.push_back({insert, a, 3});
  expect(full, {{{erase, a}, {insert, a, 1}}, {{find, a}, {assign, a, 4}}}, 2);
}

// All slots are taken by others.
TYPED_TEST(HashInterleavings, AFullPartTakesErasedKeysAgain) {
  using enum act;
  std::vector<call> full{{insert, k, 1}};
  for (word i = 100; i < 107; ++i) full.push_back({insert, i, i});
  full.push_back({erase, 103});
  expect_right<TypeParam>(full, {{{insert, 103, 1}, {erase, 103}}, {{assign, 103, 2}}});
  expect_right<TypeParam>(full, {{{erase, k}, {insert, k, 2}}, {{insert, k, 3}}});
}

}  // namespace
}  // namespace oriel::detail
