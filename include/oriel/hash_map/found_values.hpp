// Where the values that a batch finds go.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "oriel/hash_map/look_in_lines.hpp"
#include "oriel/hash_map/table_layout.hpp"

namespace oriel::detail {

// Values of keys that are absent stay as they are. `flags` may be empty.
template <class V>
class found_values {
 public:
  found_values(std::span<V> values, std::span<bool> flags) noexcept
      : values_(values), flags_(flags) {}

  void operator()(std::size_t i, const word_image<V>& value) const noexcept {
    values_[i] = value.value();
    if (!flags_.empty()) flags_[i] = true;
  }
  // Values of one word from key `from` on; a bit in `missing` for each that is absent. All are
  // written, and those put back: cheaper than to select.
  void block(std::size_t from, std::span<const std::uint64_t> picked,
             std::uint64_t missing) const noexcept requires(sizeof(V) == sizeof(std::uint64_t)) {
    std::array<word_image<V>, lines_of_block> before;
    std::size_t n = 0;
    for (std::uint64_t left = missing; left != 0; left &= left - 1)
      before[n++] = word_image<V>::of(at(from, left));
    std::memcpy(static_cast<void*>(values_.data() + from), picked.data(), picked.size_bytes());
    n = 0;
    for (std::uint64_t left = missing; left != 0; left &= left - 1)
      at(from, left) = before[n++].value();
    for (std::size_t k = 0; !flags_.empty() && k < picked.size(); ++k)
      flags_[from + k] = (missing >> k & 1) == 0;
  }

 private:
  // Of the lowest bit.
  V& at(std::size_t from, std::uint64_t bits) const noexcept {
    return values_[from + static_cast<std::size_t>(std::countr_zero(bits))];
  }

  std::span<V> values_;
  std::span<bool> flags_;
};

}  // namespace oriel::detail
