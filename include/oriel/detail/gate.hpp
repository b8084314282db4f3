// How single atomics make room for long accumulates, in windows that may have both. Each rank's
// memory has a gate: a thread that is about to perform atomic instructions on the memory says so by
// a plain store, and looks whether the gate is open. A long accumulate shuts the gate, has every
// other processor perform a barrier, waits until no thread is passing, and then goes through the
// memory with plain vector loops. So a single atomic pays two plain stores and a load, and the
// barrier is the long ones' (atomics/gates.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace oriel::detail {

struct alignas(64) gate {
  std::atomic<std::uint32_t> shut;  // not 0: atomics take turns
};
struct alignas(64) gate_place {
  std::atomic<std::uint32_t> passing;  // 1: some gate of the window
};

// Which of its process's places is the calling thread's, from 1 on; 0: it has none, or none yet.
#ifndef __NVCC__  // whose front end takes the attribute for functions alone
#define ORIEL_INITIAL_EXEC [[gnu::tls_model("initial-exec")]]
#else
#define ORIEL_INITIAL_EXEC
#endif
extern thread_local constinit std::uint32_t gate_place_of_this_thread ORIEL_INITIAL_EXEC;
#undef ORIEL_INITIAL_EXEC

// As inlined operations read them. Null: no accumulate of the window is long.
struct window_gates {
  const gate* all = nullptr;     // by rank of the node
  gate_place* places = nullptr;  // of this process
  // That of the thread which made this. To compare the numbers costs less than to find a place.
  gate_place* mine = nullptr;
  std::uint32_t number_of_mine = ~std::uint32_t{0};
};

// The calling thread's; null where there are no gates, or no place is left.
gate_place* find_gate_place(const window_gates&) noexcept;

template <class Step>
[[gnu::always_inline]] inline bool pass_from(gate_place& place, const gate& gate,
                                             Step step) noexcept {
  place.passing.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // between processors: the shutter's barrier
  const bool open = gate.shut.load(std::memory_order_acquire) == 0;
  if (open) [[likely]]
    step();
  place.passing.store(0, std::memory_order_release);
  return open;
}

// Performs `step` and returns true, where there are gates, this one is open, and the thread has a
// place.
template <class Step>
[[gnu::always_inline]] inline bool pass(const window_gates& gates, std::uint32_t number,
                                        Step step) noexcept {
  gate_place* place = gates.mine;
  if (gate_place_of_this_thread != gates.number_of_mine) [[unlikely]] {
    place = find_gate_place(gates);
    if (place == nullptr) return false;
  }
  return pass_from(*place, gates.all[number], step);
}
// The same, of the thread that made the window alone: no function is called.
template <class Step>
[[gnu::always_inline]] inline bool pass_at_once(const window_gates& gates, std::uint32_t number,
                                                Step step) noexcept {
  return gate_place_of_this_thread == gates.number_of_mine &&
         pass_from(*gates.mine, gates.all[number], step);
}

}  // namespace oriel::detail
