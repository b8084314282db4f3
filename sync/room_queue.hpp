// A place in the queue of a room lock, for who may not block: the waiter tries again whenever it
// likes, and is served in turn. `enter` is a loop around one; an owner that locks on behalf of
// ranks of other nodes keeps one for each.
#pragma once

#include <chrono>
#include <cstdint>

#include "sync/room_lock.hpp"

namespace oriel::sync {

// One thread at a time. Withdraw before giving up.
class room_queue {
 public:
  room_queue(room_lock_state& lock, room r, capacity c, int me) noexcept
      : lock_(&lock), room_(r), capacity_(c), me_(me), since_(std::chrono::steady_clock::now()) {}

  // Whether this waiter is in now.
  bool attempt() noexcept;
  // Leaves the queue, from wherever in it, and opens the door if this waiter shut it.
  void withdraw() noexcept;

 private:
  using steady = std::chrono::steady_clock;
  [[nodiscard]] std::uint32_t first() const noexcept {
    return static_cast<std::uint32_t>(lock_->queue_.load(std::memory_order_seq_cst) >> 32);
  }
  // False while the queue is full: the waiter asks again.
  bool draw() noexcept;
  // Only the head of the queue moves the door, so it belongs to one waiter at a time.
  bool attempt_first() noexcept;

  room_lock_state* lock_;
  room room_;
  capacity capacity_;
  int me_;
  steady::time_point since_;
  bool queued_ = false;
  std::uint32_t ticket_ = 0;
  bool shut_ = false;
  steady::time_point door_moved_{};  // long ago: the door may be shut at once
};

}  // namespace oriel::sync
