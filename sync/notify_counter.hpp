// A counter in shared memory that others add to and its owner waits on: the notifications of
// put_notify. 64 bytes, zeroed at first. Any thread of any process.
#pragma once

#include <atomic>
#include <cstddef>
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
    ring_all();
  }
  // A notification of `n` that was refused with `why`: a wait for its count returns that code.
  void refuse(errc why, std::uint64_t n = 1) noexcept {
    why_.store(why, std::memory_order_relaxed);
    refused_.fetch_add(n, std::memory_order_seq_cst);
    ring_all();
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
    const errc waited =
        wait(doorbell_, [this, at_least]() noexcept { return is_decided(at_least); });
    if (waited != errc::success || test(at_least)) return waited;
    return why_refused();
  }

  // --- For kernels, which read the words of this class themselves (oriel/detail/device_view.hpp)
  static constexpr std::size_t offset_of_refused() noexcept {
    return offsetof(notify_counter_state, refused_);
  }
  static constexpr std::size_t offset_of_why() noexcept {
    return offsetof(notify_counter_state, why_);
  }

  // --- For waits for any of several counters (sync/notify_choice.hpp)
  // Whether the count is reached, or would be, had none been refused. seq_cst: this look must not
  // pass the announcement that a waiter makes before it sleeps.
  [[nodiscard]] bool is_decided(std::uint64_t at_least) const noexcept {
    return count_.load(std::memory_order_seq_cst) + refused_.load(std::memory_order_seq_cst) >=
           at_least;
  }
  [[nodiscard]] errc why_refused() const noexcept { return why_.load(std::memory_order_relaxed); }
  // From the first to the second, what is added rings the common bell. `index`: of this counter
  // among its rank's.
  void begin_choice(std::size_t index) noexcept {
    index_.store(static_cast<std::uint32_t>(index), std::memory_order_relaxed);
    choosers_.fetch_add(1, std::memory_order_seq_cst);
  }
  void end_choice() noexcept { choosers_.fetch_sub(1, std::memory_order_relaxed); }
  // Of the first counter of a rank: where threads sleep that wait for any of several.
  [[nodiscard]] wait_word& common_bell() noexcept { return common_bell_; }

 private:
  void ring_all() noexcept {
    ring(doorbell_);
    if (choosers_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      ring((this - index_.load(std::memory_order_relaxed))->common_bell_);
  }

  std::atomic<std::uint64_t> count_;
  wait_word doorbell_;
  std::atomic<std::uint64_t> refused_;
  std::atomic<errc> why_;
  std::atomic<std::uint32_t> choosers_;
  std::atomic<std::uint32_t> index_;
  wait_word common_bell_;
};
static_assert(sizeof(notify_counter_state) == 64);

}  // namespace oriel::sync
