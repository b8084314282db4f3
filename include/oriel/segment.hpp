// A window's memory as this process sees it: what shared_query and segments return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oriel/rank.hpp"

namespace oriel {

// Names one buffer of one rank; what `detach` takes. Handles count up from 0 on each rank: 0 is the
// memory that construction allocated or was given, or else what was attached first.
enum class segment_handle : std::uint32_t {};

// One contiguous exposed buffer of one rank.
template <class T>
struct segment {
  segment_handle handle{};
  disp first{};             // displacement of its first element in operations on that rank
  std::uint64_t count = 0;  // elements
  T* base = nullptr;        // where this process can load and store it; null where it cannot
};

// What shared_query returns (MPI-4.1 §12.2.3, extended to every window).
template <class T>
struct shared_segment {
  rank of{any_rank};        // whose memory it is; any_rank when no rank of this node has any
  T* base = nullptr;        // null when that rank's memory cannot be reached by load and store
  std::uint64_t count = 0;  // elements; 0 when it cannot be reached
  [[nodiscard]] bool reachable() const noexcept { return base != nullptr; }
  [[nodiscard]] std::span<T> span() const noexcept { return {base, count}; }
};

}  // namespace oriel
