// In how many messages a rank's operations on a window have travelled.
#pragma once

#include "oriel/any_window.hpp"

namespace oriel::testing {

// To other nodes: packets, and operations that were alone. By what the window counts, so that
// answers to others' operations are none of them, nor is what ORIEL_CHECK asks.
inline std::uint64_t messages_of(const any_window& w) {
  const window_statistics s = w.statistics();
  return s.packets + s.of(access_route::fabric).operations +
         s.of(access_route::owner_message).operations;
}

}  // namespace oriel::testing
