// A batch of keys in blocks, in a table of packed slots whose parts are all mapped here: a block's
// keys are hashed and the first lines of their probe sequences prefetched while the block before is
// worked on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oriel/hash_map/look_in_lines.hpp"
#include "oriel/hash_map/table_line.hpp"
#include "oriel/hash_map/table_part.hpp"
#include "oriel/hash_map/table_words.hpp"

namespace oriel::detail {

template <class Slot>
class key_blocks {
 public:
  using key_image = typename Slot::key_image;
  // As many lines as a core keeps in flight, and some more: docs/HASH_MAP.md has the numbers.
  static constexpr std::size_t size = lines_of_block;

  // Both outlive it. No part is null.
  key_blocks(const std::vector<std::uint64_t*>& parts, const table_shape& shape) noexcept
      : parts_(parts.data()), shape_(&shape) {}

  // Calls work(block, from, to) for keys [from, to), until it returns false or a block has a
  // reserved key. Returns before which key that is. `Writes`: their lines will be written.
  template <bool Writes, class Keys, class Work>
  std::size_t walk(const Keys& keys, Work work) const noexcept {
    const std::size_t n = keys.size();
    std::array<line_block, 2> blocks;
    std::size_t from = 0, to = std::min(size, n);
    bool fits = prepare<Writes>(keys, from, to, blocks[0]);
    for (unsigned turn = 0; fits && from < n; turn ^= 1) {
      const std::size_t after = std::min(to + size, n);
      fits = prepare<Writes>(keys, to, after, blocks[turn ^ 1]);
      if (!work(blocks[turn], from, to)) return from;
      from = to;
      to = after;
    }
    return from;
  }
  // Returns work(part, key, h), with the part that has the key's slots: for a key that its first
  // line does not decide.
  template <class Work>
  auto in_its_part(const key_image& key, Work work) const noexcept {
    const std::uint64_t h = hash_of(key);
    hash_part<Slot, host_words> part(host_words(parts_[shape_->owner(h)]), *shape_);
    return work(part, key, h);
  }
  static const key_image& image(const key_image& key) noexcept { return key; }
  template <class K>
  static key_image image(const K& key) noexcept {
    return key_image::of(key);
  }

 private:
  // Returns whether none of the keys is reserved.
  template <bool Writes, class Keys>
  bool prepare(const Keys& keys, std::size_t from, std::size_t to,
               line_block& to_be) const noexcept {
    bool any_reserved = false;
    for (std::size_t i = from, k = 0; i < to; ++i, ++k) {
      const key_image key = image(keys[i]);
      const std::uint64_t h = hash_of(key);
      any_reserved |= Slot::reserved(key);
      to_be.lines[k] = line_of<Slot>(parts_[shape_->owner(h)], *shape_, h);
      to_be.wanted[k] = ~key.word[0];
      if constexpr (Writes) to_be.first[k] = static_cast<std::uint8_t>(h & (line_slots - 1));
      __builtin_prefetch(to_be.lines[k], Writes ? 1 : 0);
    }
    return !any_reserved;
  }

  std::uint64_t* const* parts_;
  const table_shape* shape_;
};

// Keys of a batch that follow when their next lines have come.
class keys_put_off {
 public:
  keys_put_off() noexcept {}  // NOLINT: the array is not cleared

  // `line`: the first of key `i`. Requires: not full().
  template <bool Writes>
  void add(std::size_t i, const std::uint64_t* line) noexcept {
    __builtin_prefetch(line + 2 * line_slots, Writes ? 1 : 0);
    index_[count_++] = i;
  }
  // There is no room for another block's.
  [[nodiscard]] bool full() const noexcept { return count_ > enough; }
  // Calls look(i) for each until it returns false, and forgets them all. Returns whether none has.
  template <class Look>
  bool finish(Look look) noexcept {
    const std::size_t n = std::exchange(count_, 0);
    return std::all_of(index_.begin(), index_.begin() + static_cast<std::ptrdiff_t>(n), look);
  }

 private:
  static constexpr std::size_t enough = 32;
  std::size_t count_ = 0;
  std::array<std::size_t, enough + lines_of_block> index_;
};

}  // namespace oriel::detail
