// Where in a rank's part of a queue its elements are: plain arithmetic, nothing here touches
// memory.
//
// Elements have positions, counted from 0 in the order of pushes, and position p is in slot
// p % capacity. Two counters give the positions that are taken: [head, tail). Each slot has a mark
// besides, of which phases of one operation make no use: 2p says that the slot is free for position
// p, and 2p + 1 that position p is in it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace oriel::detail {

// At which pushes and pops are.
enum class queue_end : std::uint8_t { head, tail };

struct queue_layout {
  std::uint64_t capacity = 1;          // of each part
  std::uint64_t words_of_element = 1;  // of 8 bytes

  static constexpr std::uint64_t line = 8;  // words
  static constexpr std::uint64_t most_words = std::uint64_t{1} << 40;

  [[nodiscard]] static constexpr std::uint64_t counter_at(queue_end end) noexcept {
    return end == queue_end::head ? 0 : line;
  }
  [[nodiscard]] constexpr std::uint64_t mark_at(std::uint64_t slot) const noexcept {
    return 2 * line + slot;
  }
  [[nodiscard]] constexpr std::uint64_t element_at(std::uint64_t slot) const noexcept {
    return 2 * line + (capacity + line - 1) / line * line + slot * words_of_element;
  }
  [[nodiscard]] constexpr std::uint64_t words() const noexcept { return element_at(capacity); }
  [[nodiscard]] constexpr bool valid() const noexcept {
    return capacity > 0 && capacity <= most_words / (words_of_element + 1);
  }

  // Returns how many positions from `at` on, a counter at `end` that was read before `other`, the
  // other one, may be claimed: at most `capacity`.
  [[nodiscard]] constexpr std::uint64_t room(queue_end end, std::uint64_t at,
                                             std::uint64_t other) const noexcept {
    const std::uint64_t limit = end == queue_end::tail ? other + capacity : other;
    return limit > at ? std::min(limit - at, capacity) : 0;
  }
  // Return the mark that a slot has before the operation at `end` on position p, and after it.
  [[nodiscard]] static constexpr std::uint64_t mark_before(queue_end end,
                                                           std::uint64_t p) noexcept {
    return end == queue_end::tail ? 2 * p : 2 * p + 1;
  }
  [[nodiscard]] constexpr std::uint64_t mark_after(queue_end end, std::uint64_t p) const noexcept {
    return end == queue_end::tail ? 2 * p + 1 : 2 * (p + capacity);
  }

  // Calls run(slot, done, count) for the runs of slots, at most two, of n positions from p on, of
  // which `done` come before it. Requires: n <= capacity.
  template <class Run>
  constexpr void each_run(std::uint64_t p, std::uint64_t n, Run run) const {
    const std::uint64_t slot = p % capacity;
    const std::uint64_t before_the_end = std::min(n, capacity - slot);
    run(slot, std::uint64_t{0}, before_the_end);
    if (n > before_the_end) run(std::uint64_t{0}, before_the_end, n - before_the_end);
  }
};

}  // namespace oriel::detail
