// A find in the first cache line of packed slots, where no rank writes and the host maps the
// memory.
#pragma once

#include <cstdint>

#include "oriel/hash_map/look_in_lines.hpp"
#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_part.hpp"

namespace oriel::detail {

// Where the probe sequence of `h` begins.
template <class Slot>
[[gnu::always_inline]] inline std::uint64_t* line_of(std::uint64_t* part, const table_shape& shape,
                                                     std::uint64_t h) noexcept {
  static_assert(Slot::packed && Slot::group == line_slots && Slot::words == 2);
  return part + (h & shape.mask & ~std::uint64_t{Slot::group - 1}) * Slot::words;
}

template <class Slot>
[[gnu::always_inline]] inline bool has_empty(const std::uint64_t* line) noexcept {
  bool any = false;
  for (unsigned i = 0; i < Slot::group; ++i) any |= line[i * Slot::words] == Slot::empty;
  return any;
}

// Returns `full` where the line has neither the key nor an empty slot.
template <class Slot>
[[gnu::always_inline]] inline slot_answer find_in_line(const std::uint64_t* line,
                                                       const typename Slot::key_image& key,
                                                       typename Slot::value_image& value) noexcept {
  if (pick_from(line, ~key.word[0], value.word[0]) != 0) [[likely]]
    return slot_answer::present;
  return has_empty<Slot>(line) ? slot_answer::absent : slot_answer::full;
}

}  // namespace oriel::detail
