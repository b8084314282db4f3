// Wakes threads that wait for a condition beside the wait_word itself: a counter or a lock. The
// ringer changes the condition (seq_cst), then rings. Where no thread sleeps, that costs one load.
// A waiter announces itself before its last look at the condition, so one of the two always sees
// the other.
#pragma once

#include "sync/wait.hpp"

namespace oriel::sync {

inline void ring(wait_word& doorbell) noexcept {
  if (doorbell.sleepers.load(std::memory_order_seq_cst) == 0) [[likely]]
    return;
  doorbell.value.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(doorbell.value);
}

}  // namespace oriel::sync
