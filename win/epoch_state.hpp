// The passive-target epochs that this process has open on one window. Locks are held by the
// process, so any of its threads may use or end them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
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
    bool entered;              // the protocol was run: not so with nocheck
    std::uint32_t number = 0;  // distinguishes it from others of this process, where owners must
  };
  // Numbers are kept in so many bits.
  static constexpr std::uint32_t most_epochs = (1u << 30) - 1;

  epoch_state() { others_.reserve(8); }
  // No two threads are in oriel at once: the first lock's word needs no atomic instruction.
  void assume_one_thread() noexcept { one_thread_ = true; }

  // False when `target` is locked already or lock_all is open: rma_sync. The first lock has a word
  // of its own, since most programs hold one at a time.
  bool open(const held_lock& lock) noexcept {
    if (all_.load(std::memory_order_relaxed)) return false;
    if (others_count_.load(std::memory_order_relaxed) == 0) {
      if (one_thread_) {
        if (one_.load(std::memory_order_relaxed) == 0) {
          one_.store(encode(lock), std::memory_order_relaxed);
          return true;
        }
      } else if (std::uint64_t none = 0; one_.compare_exchange_strong(none, encode(lock))) {
        return true;
      }
    }
    const guard hold(*this);
    if (is_held(lock.target)) return false;
    others_.push_back(lock);
    count_others();
    return true;
  }
  bool close(rank target, held_lock& closed) noexcept {
    const std::uint64_t one = one_.load(std::memory_order_relaxed);
    if (one != 0 && decode(one).target == target) {
      closed = decode(one);
      one_.store(0, std::memory_order_release);
      return true;
    }
    const guard hold(*this);
    for (held_lock& l : others_) {
      if (l.target != target) continue;
      closed = l;
      l = others_.back();
      others_.pop_back();
      count_others();
      return true;
    }
    return false;
  }
  // Of lock_all `lock.target` is any_rank, and `entered` says that the window's word is taken.
  bool open_all(const held_lock& lock) noexcept {
    const guard hold(*this);
    if (all_ || one_ != 0 || !others_.empty()) return false;
    all_lock_ = lock;
    all_ = true;
    return true;
  }
  bool close_all(held_lock& closed) noexcept {
    const guard hold(*this);
    closed = all_lock_;
    return all_.exchange(false);
  }
  [[nodiscard]] bool all() const noexcept { return all_; }
  [[nodiscard]] bool holds(rank target) noexcept {
    const guard hold(*this);
    return is_held(target);
  }
  // The lock of `target`, lock_all aside.
  [[nodiscard]] std::optional<held_lock> find(rank target) noexcept {
    const guard hold(*this);
    if (const std::uint64_t one = one_; one != 0 && decode(one).target == target)
      return decode(one);
    for (const held_lock& l : others_)
      if (l.target == target) return l;
    return std::nullopt;
  }
  // Whether no other thread, of this process or another, accesses `target` now. False where finding
  // out would take a while.
  [[nodiscard]] bool exclusive(rank target) const noexcept {
    const std::uint64_t one = one_.load(std::memory_order_relaxed);
    return one_thread_ && one != 0 && decode(one).target == target &&
           decode(one).kind == lock_kind::exclusive;
  }
  // One of those that are locked, lock_all aside.
  [[nodiscard]] std::optional<rank> some_target() noexcept {
    const guard hold(*this);
    if (const std::uint64_t one = one_; one != 0) return decode(one).target;
    return others_.empty() ? std::nullopt : std::optional<rank>(others_.back().target);
  }
  [[nodiscard]] bool any() const noexcept { return all_ || one_ != 0 || others_count_ != 0; }

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

  // Never 0.
  static std::uint64_t encode(const held_lock& l) noexcept {
    return static_cast<std::uint64_t>(l.number) << 34 |
           (static_cast<std::uint64_t>(l.target.value) + 1) << 2 |
           static_cast<std::uint64_t>(l.kind) << 1 | static_cast<std::uint64_t>(l.entered);
  }
  static held_lock decode(std::uint64_t code) noexcept {
    return {rank{static_cast<std::int32_t>(static_cast<std::uint32_t>(code >> 2) - 1)},
            (code >> 1 & 1) != 0 ? lock_kind::exclusive : lock_kind::shared, (code & 1) != 0,
            static_cast<std::uint32_t>(code >> 34)};
  }
  bool is_held(rank target) const noexcept {
    const std::uint64_t one = one_;
    if (one != 0 && decode(one).target == target) return true;
    for (const held_lock& l : others_)
      if (l.target == target) return true;
    return false;
  }
  void count_others() noexcept { others_count_ = static_cast<std::uint32_t>(others_.size()); }

  bool one_thread_ = false;
  std::atomic<std::uint64_t> one_{0};
  std::atomic<bool> all_{false};
  held_lock all_lock_{any_rank, lock_kind::shared, false};
  std::atomic<std::uint32_t> others_count_{0};
  std::atomic_flag busy_;
  std::vector<held_lock> others_;
};

}  // namespace oriel::win
