// A place in the queue of a group lock, for callers that may not block: the waiter tries again at
// any time, and is served in turn. `enter` is a loop around one; an owner that locks on behalf of
// ranks of other nodes keeps one for each.
#pragma once

#include <cstdint>

#include "sync/group_lock.hpp"
#include "sync/system.hpp"

namespace oriel::sync {

// One thread at a time. Withdraw before giving up. A waiter that does not try for a while loses its
// turn.
class group_queue {
 public:
  group_queue(group_lock_state& lock, lock_group r, capacity c, int me) noexcept
      : lock_(&lock), group_(r), capacity_(c), me_(me) {}

  // Whether this waiter is in now.
  bool attempt() noexcept;
  // Leaves the queue, from wherever in it, and opens the door if this waiter shut it.
  void withdraw() noexcept;

 private:
  using steady = clock;
  // What the first in the queue changes again and again as long as it runs.
  struct sight {
    std::uint32_t first = 0;
    std::uint64_t door = 0;
    bool operator==(const sight&) const = default;
  };
  [[nodiscard]] std::uint32_t first() const noexcept {
    return static_cast<std::uint32_t>(lock_->queue_.load(std::memory_order_seq_cst) >> 32);
  }
  // Returns false while the queue is full: the waiter tries again.
  bool draw() noexcept;
  // Only the first in the queue shuts the door.
  bool attempt_first(steady::time_point now) noexcept;
  void open_own_door() noexcept;
  // Passes by a first one that has not moved for long.
  void watch_first(steady::time_point now) noexcept;

  group_lock_state* lock_;
  lock_group group_;
  capacity capacity_;
  int me_;
  steady::time_point since_ = steady::now();
  bool queued_ = false;
  std::uint32_t ticket_ = 0;
  std::uint64_t shut_ = 0;           // the door as this waiter shut it; 0: it has not
  steady::time_point door_moved_{};  // long ago: the door may be shut at once
  sight seen_;
  steady::time_point seen_since_ = since_;
};

}  // namespace oriel::sync
