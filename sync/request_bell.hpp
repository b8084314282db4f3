// Tells a process of a request to it. Its agent sleeps on the bell; but where a thread of the
// program's serves, in a wait or in MPI, that thread sees the request by itself, and to wake the
// agent would cost both processes some 10 us of their cores. The bell tells which of the two served
// last: origins of a process that attends look for the answer first, and wake its agent when none
// comes.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/wait.hpp"

namespace oriel::sync {

// Lives in shared memory; zero is its first state. Threads: any, of any process.
struct request_bell {
  wait_word rung;  // by each request
  std::atomic<std::uint32_t> attended;
  std::atomic<std::uint32_t> wakes;  // of the agent, so far

  // After the request has been left. Returns whether its answer may be looked for before
  // `wake_agent` is called.
  [[nodiscard]] bool ring() noexcept {
    rung.value.fetch_add(1, std::memory_order_seq_cst);
    if (attended.load(std::memory_order_relaxed) != 0) return true;
    wake_agent();
    return false;
  }
  // One load where it does not sleep.
  void wake_agent() noexcept { wake_all(rung); }
  // Whoever has served says whether it is a thread of the program's.
  void be_attended(bool by_program) noexcept {
    const std::uint32_t now = by_program ? 1 : 0;
    if (attended.load(std::memory_order_relaxed) != now)
      attended.store(now, std::memory_order_relaxed);
  }
};

}  // namespace oriel::sync
