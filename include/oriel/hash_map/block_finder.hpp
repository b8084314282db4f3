// Finds of a batch in blocks (key_blocks.hpp), in a table that no rank writes. The few keys that
// their first line does not have are looked for afterwards, when their next lines have come.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "oriel/hash_map/key_blocks.hpp"
#include "oriel/hash_map/table_line.hpp"

namespace oriel::detail {

template <class Slot>
class block_finder {
 public:
  using value_image = typename Slot::value_image;

  explicit block_finder(const key_blocks<Slot>& blocks) noexcept : blocks_(blocks) {}

  struct outcome {
    std::size_t looked_at;  // keys before the first block that has a reserved one
    std::size_t present;    // of these
  };
  // Calls found.block(from, picked, missing) for keys from `from` on, with their values and a bit
  // for each that has none; for some of these found(i, value) later, since they are present after
  // all.
  template <class Keys, class Found>
  outcome find(const Keys& keys, Found& found) noexcept {
    std::size_t present = 0;
    const std::size_t looked_at = blocks_.template walk<false>(
        keys, [&](const line_block& block, std::size_t from, std::size_t to) noexcept {
          present += compare(block, from, to, found);
          if (later_count_ > enough) present += finish(keys, found);
          return true;
        });
    return {looked_at, present + finish(keys, found)};
  }

 private:
  static constexpr std::size_t enough = 32;

  template <class Found>
  std::size_t compare(const line_block& block, std::size_t from, std::size_t to,
                      Found& found) noexcept {
    std::array<std::uint64_t, lines_of_block> picked;
    std::uint64_t missing = pick(block, to - from, picked.data());
    found.block(from, std::span<const std::uint64_t>(picked.data(), to - from), missing);
    const std::size_t present = to - from - static_cast<std::size_t>(std::popcount(missing));
    for (; missing != 0; missing &= missing - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(missing));
      if (has_empty<Slot>(block.lines[k])) continue;
      __builtin_prefetch(block.lines[k] + Slot::group * Slot::words);
      later_[later_count_++] = from + k;
    }
    return present;
  }
  template <class Keys, class Found>
  std::size_t finish(const Keys& keys, Found& found) noexcept {
    std::size_t present = 0;
    for (std::size_t k = 0; k < later_count_; ++k) {
      const auto key = blocks_.image(keys[later_[k]]);
      const std::uint64_t h = hash_of(key);
      value_image value;
      if (blocks_.part_of(h).find(key, h, value) != slot_answer::present) continue;
      found(later_[k], value);
      ++present;
    }
    later_count_ = 0;
    return present;
  }

  key_blocks<Slot> blocks_;
  std::size_t later_count_ = 0;
  std::array<std::size_t, enough + lines_of_block> later_;
};

}  // namespace oriel::detail
