// The arithmetic of the table: hash, owner, probe sequence, capacity, and the words of a slot.
#include "oriel/hash_map/table_layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace oriel::detail {
namespace {

struct wide_key {
  std::uint32_t a, b, c;
};

using packed = hash_slot<std::uint64_t, std::uint64_t>;
using general = hash_slot<std::uint64_t, std::uint64_t, slot_layout::general>;
using narrow = hash_slot<std::uint32_t, std::uint8_t>;
using wide = hash_slot<wide_key, std::array<double, 3>>;

TEST(HashLayout, SlotsAreAsLargeAsTheirWords) {
  EXPECT_TRUE(packed::packed);
  EXPECT_TRUE((hash_slot<std::int64_t, double>::packed));
  EXPECT_FALSE(general::packed);
  EXPECT_FALSE(narrow::packed);
  EXPECT_EQ(packed::words, 2u);
  EXPECT_EQ(packed::group, 4u);
  EXPECT_EQ(general::words, 3u);
  EXPECT_EQ(general::group, 2u);
  EXPECT_EQ(narrow::words, 3u);
  EXPECT_EQ(wide::words, 1u + 2u + 3u);
  EXPECT_EQ(wide::group, 1u);
}

TEST(HashLayout, WordsHoldWhatTheyWereGivenAndZeros) {
  const wide_key key{1, 2, 3};
  const auto image = word_image<wide_key>::of(key);
  EXPECT_EQ(image.word[0], (std::uint64_t{2} << 32 | 1));
  EXPECT_EQ(image.word[1], 3u);
  EXPECT_EQ(image.value().c, 3u);
  EXPECT_EQ(word_image<std::uint8_t>::of(0xff).word[0], 0xffu);
  // Arithmetic on the word is arithmetic on the integer.
  auto sum = word_image<std::int16_t>::of(-5);
  sum.word[0] += word_image<std::int16_t>::of(7).word[0];
  EXPECT_EQ(sum.value(), 2);
}

template <class Slot>
void expect_every_slot_once(std::uint64_t slots) {
  const table_shape shape{slots - 1, 1};
  for (const std::uint64_t h : {std::uint64_t{0}, std::uint64_t{5}, mix(7), ~std::uint64_t{0}}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < slots; ++i) {
      const std::uint64_t slot = shape.probe<Slot::group>(h, i);
      EXPECT_LT(slot, slots);
      seen.insert(slot);
      // A line is left only when all of it was looked at.
      EXPECT_EQ(slot / Slot::group,
                ((h & (slots - 1)) / Slot::group + i / Slot::group) % (slots / Slot::group));
    }
    EXPECT_EQ(seen.size(), slots);
    EXPECT_EQ(shape.probe<Slot::group>(h, 0), h & (slots - 1));
    // The second one is the other half of a pair, which a device fetches at once.
    const std::uint64_t beside = Slot::group > 1 ? h ^ 1 : h + 1;
    EXPECT_EQ(shape.probe<Slot::group>(h, 1), beside & (slots - 1));
  }
}

TEST(HashLayout, AProbeSequenceVisitsEverySlotOnceLineByLine) {
  for (const std::uint64_t slots : {8u, 16u, 128u}) {
    expect_every_slot_once<packed>(slots);
    expect_every_slot_once<general>(slots);
    expect_every_slot_once<wide>(slots);
  }
}

TEST(HashLayout, ADenseProbeSequenceVisitsEverySlotLineByLine) {
  for (const std::uint64_t lines : {1u, 2u, 3u, 147u}) {
    const table_shape shape = table_shape::of(lines * slots_of_line, 1);
    ASSERT_TRUE(shape.is_dense());
    EXPECT_EQ(shape.slots(), lines * 7);
    EXPECT_EQ(shape.places(), lines * 8);
    for (const std::uint64_t h : {std::uint64_t{0}, std::uint64_t{5}, mix(7), ~std::uint64_t{0}}) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < shape.dense_probes(); ++i) {
        const std::uint64_t place = shape.dense_probe(h, i);
        ASSERT_LT(place, shape.places());
        EXPECT_EQ(place / 8, shape.dense_line(h, i / 8));
        seen.insert(place);
        // The second one is the other half of a sector.
        EXPECT_EQ(place ^ 1, shape.dense_probe(h, i ^ 1));
      }
      EXPECT_EQ(seen.size(), shape.places());
    }
  }
  EXPECT_FALSE(table_shape::of(1024, 1).is_dense());
  EXPECT_EQ(table_shape::of(1024, 3).mask, 1023u);
}

TEST(HashLayout, LinesAndMarksShareEvenly) {
  constexpr int keys = 300'000, lines = 37;
  const table_shape shape = table_shape::of(lines * slots_of_line, 3);
  std::vector<int> first(lines), second(lines), marks(128);
  for (std::uint64_t k = 0; k < keys; ++k) {
    const std::uint64_t h = hash_of(word_image<std::uint64_t>::of(k));
    ++first[shape.dense_line(h, 0)];
    ++second[shape.dense_line(h, 1)];
    ++marks[shape.mark_at(h) * 64 + static_cast<unsigned>(std::countr_zero(shape.mark_of(h)))];
  }
  for (const auto* counts : {&first, &second, &marks}) {
    const double mean = static_cast<double>(keys) / static_cast<double>(counts->size());
    for (const int n : *counts) EXPECT_NEAR(n, mean, 6 * std::sqrt(mean));
  }
}

TEST(HashLayout, OwnersAndSlotsShareEvenly) {
  constexpr int keys = 300'000, ranks = 3;
  const table_shape shape{63, ranks};
  std::vector<int> owners(ranks), slots(64);
  for (std::uint64_t k = 0; k < keys; ++k) {
    const std::uint64_t h = hash_of(word_image<std::uint64_t>::of(k));
    ++owners[shape.owner(h)];
    ++slots[h & shape.mask];
  }
  for (const int n : owners) EXPECT_NEAR(n, keys / ranks, 6 * std::sqrt(keys / ranks));
  for (const int n : slots) EXPECT_NEAR(n, keys / 64, 6 * std::sqrt(keys / 64));
}

TEST(HashLayout, CapacityIsThePowerOfTwoThatTheLoadAllows) {
  EXPECT_EQ(slots_for(0, 1, 0.5), fewest_slots);
  EXPECT_EQ(slots_for(8, 1, 1.0), 8u);
  EXPECT_EQ(slots_for(9, 1, 1.0), 16u);
  EXPECT_EQ(slots_for(512, 1, 0.5), 1024u);
  EXPECT_EQ(slots_for(513, 1, 0.5), 2048u);
  EXPECT_EQ(slots_for(std::uint64_t{1} << 23, 2, 0.5), std::uint64_t{1} << 23);
  // Several ranks do not get equal shares.
  EXPECT_GT(slots_for(64, 8, 1.0), 8u);
  for (const double load : {0.0, -1.0, 1.01, std::nan("")}) EXPECT_EQ(slots_for(8, 1, load), 0u);
  EXPECT_EQ(slots_for(~std::uint64_t{0}, 1, 1.0), 0u);
  EXPECT_EQ(slots_for(8, 0, 1.0), 0u);
}

TEST(HashLayout, CapacityOfDenseTablesIsWhatTheLoadAsks) {
  EXPECT_EQ(slots_for(8000, 1, 0.5, true), 16384u);
  EXPECT_EQ(slots_for(12'000, 1, 0.8, true), 15'001u);
  EXPECT_EQ(slots_for(12'000, 1, 0.8), 16384u);
  // A power of two that is not filled beyond the half is faster.
  EXPECT_EQ(slots_for(8000, 1, 0.8, true), 16384u);
  EXPECT_EQ(slots_for(8193, 1, 0.5, true), 32768u);
  // Small ones are sparse.
  EXPECT_EQ(slots_for(1023, 1, 1.0, true), 1024u);
  EXPECT_EQ(slots_for(1024, 1, 1.0, true), 1029u);
}

TEST(HashLayout, PackedSlotsReserveTheThreeHighestKeys) {
  using image = packed::key_image;
  for (const std::uint64_t k : {~std::uint64_t{0}, ~std::uint64_t{1}, ~std::uint64_t{2}})
    EXPECT_TRUE(packed::reserved(image::of(k)));
  for (const std::uint64_t k : {~std::uint64_t{3}, std::uint64_t{0}, std::uint64_t{1}}) {
    EXPECT_FALSE(packed::reserved(image::of(k)));
    const std::uint64_t w = packed::ready_word(image::of(k), 0);
    EXPECT_TRUE(packed::taken(w));
    EXPECT_TRUE(packed::matches(w, image::of(k), 0));
    EXPECT_FALSE(packed::undecided(w, 0));
  }
  EXPECT_FALSE(general::reserved(general::key_image::of(~std::uint64_t{0})));
}

TEST(HashLayout, AGeneralStateKeepsHashAndCountsAssignments) {
  const auto key = general::key_image::of(7);
  const std::uint64_t h = hash_of(key), other = h ^ (std::uint64_t{1} << 20);
  std::uint64_t w = general::ready_word(key, h);
  EXPECT_TRUE(general::matches(w, key, h));
  EXPECT_FALSE(general::matches(w, key, other));
  EXPECT_TRUE(general::undecided(general::busy_word(h), h));
  EXPECT_FALSE(general::undecided(general::busy_word(h), other));
  EXPECT_TRUE(general::undecided(general::locked(w), h));
  std::set<std::uint64_t> seen{w};
  for (int i = 0; i < 1000; ++i) {
    w = general::assigned(w);
    EXPECT_TRUE(general::matches(w, key, h));
    EXPECT_TRUE(seen.insert(w).second);
  }
  // The count wraps within its own bits.
  const std::uint64_t last = general::ready_word(key, h) | 0xfffffffcu;
  EXPECT_EQ(general::assigned(last), general::ready_word(key, h));
  for (const std::uint64_t free : {general::empty, general::erased, general::busy_word(h)})
    EXPECT_FALSE(general::taken(free));
}

}  // namespace
}  // namespace oriel::detail
