// A find in the first cache line of packed slots, where no rank writes and the host maps the
// memory.
#pragma once

#include <cstdint>

#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_part.hpp"

namespace oriel::detail {

template <class Slot>
[[gnu::always_inline]] inline const std::uint64_t* line_of(const std::uint64_t* part,
                                                           const table_shape& shape,
                                                           std::uint64_t h) noexcept {
  static_assert(Slot::packed);
  return part + (h & shape.mask & ~std::uint64_t{Slot::group - 1}) * Slot::words;
}

template <class Slot>
[[gnu::always_inline]] inline bool has_empty(const std::uint64_t* line) noexcept {
  bool any = false;
  for (unsigned i = 0; i < Slot::group; ++i) any |= line[i * Slot::words] == Slot::empty;
  return any;
}

// Compares all slots of the line and selects the value by masks: a processor predicts well whether
// the key is in the line, and not in which slot. Returns `full` where the line has neither the key
// nor an empty slot.
template <class Slot>
[[gnu::always_inline]] inline slot_answer find_in_line(const std::uint64_t* line,
                                                       const typename Slot::key_image& key,
                                                       typename Slot::value_image& value) noexcept {
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
  return has_empty<Slot>(line) ? slot_answer::absent : slot_answer::full;
}

}  // namespace oriel::detail
