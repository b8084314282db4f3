// Blocks of a zone against an oracle. ORIEL_TEST_SEED repeats a run.
#include "session/node/block_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace oriel::sessions {
namespace {

using word = std::uint64_t;

constexpr word first = 4096, granule = 128, granules = 20'000, zone = granule * granules;

struct table {
  table() { blocks.reset(tags.data(), first, zone, granule); }
  std::optional<block_table::fit> take(word bytes, word alignment) {
    const auto found = blocks.look(tags.data(), bytes, alignment);
    if (found) {
      EXPECT_LE(blocks.tags_below(*found), tags.size());
      blocks.take(tags.data(), *found);
    }
    return found;
  }
  bool give_back(word offset, bool dirty) { return blocks.give_back(tags.data(), offset, dirty); }
  // What a death may leave of all that is free, made again.
  void garble_and_rebuild(std::mt19937_64& random) {
    const auto present = static_cast<std::size_t>(
        tags.rend() -
        std::find_if(tags.rbegin(), tags.rend(), [](const block_tag& t) { return t.block != 0; }));
    const auto any = [&random](word n) { return static_cast<std::uint32_t>(random() % n); };
    for (std::size_t g = 0, size = 1; g < present; g += size) {
      size = tags[g].granules();
      if (tags[g].is(block_tag::kind::taken)) continue;
      // Free blocks that are in no list, and are not merged.
      for (size = 1; size < 1 + random() % 5 && g + size < present; ++size)
        if (tags[g + size].is(block_tag::kind::taken)) break;
      for (std::size_t i = g; i < g + size; ++i) tags[i] = {0, any(granules), any(1), any(1)};
      tags[g].set(block_tag::kind::free, static_cast<std::uint32_t>(size));
      tags[g + size - 1].begin = static_cast<std::uint32_t>(g);
    }
    blocks.rebuild(tags.data(), present);
  }

  std::vector<block_tag> tags = std::vector<block_tag>(granules + 1);
  block_table blocks;
};

TEST(BlockTable, GivesDisjointAlignedBlocksAndMergesThemAgain) {
  const word seed = testing::seed();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  table t;
  std::map<word, word> taken;            // sizes by offset
  std::vector<bool> was_used(granules);  // and given back dirty
  word used = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (i >= 50'000 && i % 1000 == 0) {
      t.garble_and_rebuild(random);
      was_used.assign(granules, true);
    }
    // Nearly full, and nearly empty, by turns.
    if (random() % 8 < (i / 5000 % 2 == 0 ? 5u : 3u) || taken.empty()) {
      const word most = random() % 50 == 0 ? 2000 : random() % 4 == 0 ? 60 : 6;
      const word bytes = 1 + random() % (most * granule);
      const word alignment = word{64} << (random() % 3 == 0 ? random() % 9 : 0);
      const auto got = t.take(bytes, alignment);
      const word size = (bytes + granule - 1) / granule * granule;
      if (!got) {
        // Then no gap is large enough wherever it starts.
        word end = first;
        for (auto b = taken.begin();; ++b) {
          const word next = b == taken.end() ? first + zone : b->first;
          const word start = (end + alignment - 1) / alignment * alignment;
          ASSERT_TRUE(start >= next || next - start < size) << "a gap at " << end;
          if (b == taken.end()) break;
          end = b->first + b->second;
        }
        continue;
      }
      ASSERT_EQ(got->offset % alignment, 0u);
      ASSERT_GE(got->offset, first);
      ASSERT_LE(got->offset + size, first + zone);
      const auto next = taken.lower_bound(got->offset);
      ASSERT_TRUE(next == taken.end() || got->offset + size <= next->first);
      ASSERT_TRUE(next == taken.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= got->offset);
      for (word g = 0; g < size / granule; ++g) {
        ASSERT_TRUE(got->dirty || !was_used[(got->offset - first) / granule + g]);
      }
      taken[got->offset] = size;
      used += size;
      ASSERT_EQ(t.blocks.size_at(t.tags.data(), got->offset), size);
    } else {
      const auto victim = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      const auto [offset, size] = *victim;
      const bool dirty = random() % 2 == 0;
      ASSERT_FALSE(size > granule && t.give_back(offset + granule, dirty));
      ASSERT_TRUE(t.give_back(offset, dirty));
      ASSERT_FALSE(t.give_back(offset, dirty));
      for (word g = 0; g < size / granule; ++g) was_used[(offset - first) / granule + g] = dirty;
      taken.erase(victim);
      used -= size;
    }
    ASSERT_EQ(t.blocks.used_bytes(), used);
  }
  for (const auto& [offset, size] : taken) ASSERT_TRUE(t.give_back(offset, false));
  EXPECT_EQ(t.blocks.used_bytes(), 0u);
  const auto all = t.take(zone, 64);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->offset, first);
  EXPECT_FALSE(t.take(1, 64));
}

TEST(BlockTable, IgnoresWhatItDidNotGive) {
  table t;
  for (const word offset : {word{0}, first, first + 64, first + zone, ~word{0}})
    EXPECT_FALSE(t.give_back(offset, true));
  EXPECT_FALSE(t.take(zone + 1, 64));
  EXPECT_FALSE(t.take(~word{0} - granule, 64));
  EXPECT_EQ(t.blocks.used_bytes(), 0u);
}

}  // namespace
}  // namespace oriel::sessions
