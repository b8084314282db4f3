// A counter in shared memory that others add to and its owner waits on: the notifications of
// put_notify. 64 bytes, zeroed at first. Any thread of any process.
#pragma once

#include <atomic>
#include <cstdint>

#include "oriel/errc.hpp"
#include "sync/doorbell.hpp"
#include "sync/wait.hpp"

namespace oriel::sync {

class alignas(64) notify_counter_state {
 public:
  // A reader of the new count sees what the caller stored before. One system call if the owner
  // sleeps, else none. The count wraps at 2^64.
  void add(std::uint64_t n) noexcept {
    count_.fetch_add(n, std::memory_order_seq_cst);
    ring(doorbell_);
  }
  // A notification of `n` that was refused with `why`: a wait for its count returns that code.
  void refuse(errc why, std::uint64_t n = 1) noexcept {
    why_.store(why, std::memory_order_relaxed);
    refused_.fetch_add(n, std::memory_order_seq_cst);
    ring(doorbell_);
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return count_.load(std::memory_order_acquire);
  }
  // Returns the count, and starts again at 0, refusals too. One thread at a time, and none waits.
  std::uint64_t take() noexcept {
    refused_.store(0, std::memory_order_relaxed);
    return count_.exchange(0, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool test(std::uint64_t at_least) const noexcept { return read() >= at_least; }
  // peer_failed when a watched peer has gone and the count is not reached; the reason of a refusal
  // when it would be, had none been refused.
  errc wait_at_least(std::uint64_t at_least, const peer_watch& peers) noexcept {
    return wait_by(
        [&peers](wait_word& bell, auto reached) noexcept {
          return wait_for(bell, peers, [reached](std::uint32_t) { return reached(); });
        },
        at_least);
  }
  // The same for a waiter that looks elsewhere too: `wait(bell, reached)` blocks until reached(),
  // and is woken by `bell` as by any wait_word. Returns what it returns.
  template <class Wait>
  errc wait_by(Wait wait, std::uint64_t at_least) noexcept {
    // seq_cst: this look must not pass the announcement that a waiter makes before it sleeps.
    const errc waited = wait(doorbell_, [this, at_least]() noexcept {
      return count_.load(std::memory_order_seq_cst) + refused_.load(std::memory_order_seq_cst) >=
             at_least;
    });
    if (waited != errc::success || test(at_least)) return waited;
    return why_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> count_;
  wait_word doorbell_;
  std::atomic<std::uint64_t> refused_;
  std::atomic<errc> why_;
};
static_assert(sizeof(notify_counter_state) == 64);

}  // namespace oriel::sync
