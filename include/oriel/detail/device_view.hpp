// The plain data behind window_view (oriel/device.cuh), which the window's host side lays out in
// memory that kernels reach and frees after the last kernel that uses it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/detail/kernel_ring.hpp"

namespace oriel::detail {

// One rank, as the device sees it.
struct device_peer {
  std::byte* memory = nullptr;   // where kernels load and store it; null: through the ring
  std::byte* atomics = nullptr;  // `memory`, where kernels may update it atomically; else null
  std::uint64_t count = 0;       // elements
};

// One counter takes a cache line. In words of 8 bytes: the count, at 0; how many notifications were
// refused; and, of 4 bytes, the errc of the last refusal.
inline constexpr std::size_t counter_stride = 64 / sizeof(std::uint64_t);
inline constexpr std::size_t counter_refused = 2, counter_why = 3;

// Written by the host, read by kernels that wait; in memory that both reach, zeroed at first.
struct device_state {
  std::uint32_t failure = 0;   // the errc of the first request that failed
  std::uint32_t closed = 0;    // not 0: no rank serves or notifies any more, so waits end
  std::uint64_t complete = 0;  // requests of earlier tickets are complete, or have failed
};

struct device_view {
  const device_peer* peers = nullptr;  // by rank
  device_state* state = nullptr;
  // This rank's notification counters, which kernels read: processors add to them, those of
  // requests too, and wake who waits.
  const std::uint64_t* counters = nullptr;
  kernel_ring ring;
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
};

}  // namespace oriel::detail
