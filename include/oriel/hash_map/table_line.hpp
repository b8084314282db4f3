// A find in the first cache line of packed slots, where no rank writes and the host maps the
// memory.
#pragma once

#include <cstdint>

#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_part.hpp"

namespace oriel::detail {

// Compares all slots of the line and selects the value by masks: a processor predicts well whether
// the key is in the line, and not in which slot. Returns `full` where the line has neither the key
// nor an empty slot.
template <class Slot>
[[gnu::always_inline]] inline slot_answer find_in_line(const std::uint64_t* part,
                                                       const table_shape& shape,
                                                       const typename Slot::key_image& key,
                                                       std::uint64_t h,
                                                       typename Slot::value_image& value) noexcept {
  static_assert(Slot::packed);
  const std::uint64_t* const line =
      part + (h & shape.mask & ~std::uint64_t{Slot::group - 1}) * Slot::words;
  const std::uint64_t wanted = ~key.word[0];
  std::uint64_t any = 0, picked = 0;
  for (unsigned i = 0; i < Slot::group; ++i) {
    const std::uint64_t mask = line[i * Slot::words] == wanted ? ~std::uint64_t{0} : 0;
    any |= mask;
    picked |= line[i * Slot::words + Slot::value_at] & mask;
  }
  if (any != 0) [[likely]] {
    value.word[0] = picked;
    return slot_answer::present;
  }
  for (unsigned i = 0; i < Slot::group; ++i)
    if (line[i * Slot::words] == Slot::empty) return slot_answer::absent;
  return slot_answer::full;
}

}  // namespace oriel::detail
