// Finds of a batch in blocks (key_blocks.hpp), in a table that no rank writes. The few keys that
// their first line does not have are looked for afterwards, when their next lines have come.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "oriel/hash_map/key_blocks.hpp"

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
          if (later_.full()) present += finish(keys, found);
          return true;
        });
    return {looked_at, present + finish(keys, found)};
  }

 private:
  template <class Found>
  std::size_t compare(const line_block& block, std::size_t from, std::size_t to,
                      Found& found) noexcept {
    std::array<std::uint64_t, lines_of_block> picked;
    std::uint64_t missing = pick(block, to - from, picked.data());
    found.block(from, std::span<const std::uint64_t>(picked.data(), to - from), missing);
    const std::size_t present = to - from - static_cast<std::size_t>(std::popcount(missing));
    for (; missing != 0; missing &= missing - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(missing));
      if (!has_empty<Slot>(block.lines[k])) later_.add<false>(from + k, block.lines[k]);
    }
    return present;
  }
  template <class Keys, class Found>
  std::size_t finish(const Keys& keys, Found& found) noexcept {
    std::size_t present = 0;
    later_.finish([&](std::size_t i) noexcept {
      value_image value;
      const slot_answer answer = blocks_.in_its_part(
          blocks_.image(keys[i]),
          [&](auto& part, const auto& key, std::uint64_t h) { return part.find(key, h, value); });
      if (answer == slot_answer::present) {
        found(i, value);
        ++present;
      }
      return true;
    });
    return present;
  }

  key_blocks<Slot> blocks_;
  keys_put_off later_;
};

}  // namespace oriel::detail
