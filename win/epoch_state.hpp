// The passive-target epochs that this process has open on one window. Locks are held by the
// process, so any of its threads may use or end them.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "oriel/rank.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::win {

class epoch_state {
 public:
  struct held_lock {
    rank target;
    lock_kind kind;
    bool entered;  // the protocol was run: not so with nocheck
  };

  // False when `target` is locked already or lock_all is open: rma_sync.
  bool open(const held_lock& lock) noexcept {
    const guard hold(*this);
    if (all_) return false;
    for (const held_lock& l : held_)
      if (l.target == lock.target) return false;
    held_.push_back(lock);
    return true;
  }
  bool close(rank target, held_lock& closed) noexcept {
    const guard hold(*this);
    for (held_lock& l : held_) {
      if (l.target != target) continue;
      closed = l;
      l = held_.back();
      held_.pop_back();
      return true;
    }
    return false;
  }
  // `entered`: the window's lock word will be taken.
  bool open_all(bool entered) noexcept {
    const guard hold(*this);
    if (all_ || !held_.empty()) return false;
    all_ = true;
    all_entered_ = entered;
    return true;
  }
  [[nodiscard]] bool all_entered() noexcept {
    const guard hold(*this);
    return all_ && all_entered_;
  }
  bool close_all() noexcept {
    const guard hold(*this);
    return std::exchange(all_, false);
  }
  [[nodiscard]] bool all() noexcept {
    const guard hold(*this);
    return all_;
  }
  [[nodiscard]] bool holds(rank target) noexcept {
    const guard hold(*this);
    for (const held_lock& l : held_)
      if (l.target == target) return true;
    return false;
  }
  [[nodiscard]] bool any() noexcept {
    const guard hold(*this);
    return all_ || !held_.empty();
  }

  epoch_state() { held_.reserve(8); }

 private:
  // A few instructions long, and contended only when threads open epochs on one window at once.
  struct guard {
    explicit guard(epoch_state& s) noexcept : state(s) {
      while (state.busy_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~guard() { state.busy_.clear(std::memory_order_release); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    epoch_state& state;
  };

  std::atomic_flag busy_;
  bool all_ = false;
  bool all_entered_ = false;
  std::vector<held_lock> held_;
};

}  // namespace oriel::win
