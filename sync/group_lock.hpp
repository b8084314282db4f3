// A group lock, for passive-target epochs (MPI-4.1 §12.5.3), between processes: two groups enter
// it, never both at once. Of `shared` any number is in; of `exclusive` one (capacity::one: the word
// of one target), or any number (capacity::many: the window-wide word, where lock_all is `shared`
// and the exclusive locks of single targets are the other group).
//
// 64 bytes of shared memory, zeroed at first. Any thread of any process may enter; one leave, by
// any thread, undoes one enter. seq_cst both ways.
//
// Fairness. Newcomers may pass waiters, which keeps the lock busy on few cores. A waiter that has
// waited for 1 ms draws a ticket; the first in that queue shuts the door on newcomers until it is
// in, so no waiter starves. A door stays shut for 100 ms at most and then opens for a while: the
// holder that the queue waits for may itself need a newcomer to enter first, into the group it is
// in.
//
// A waiter may be stopped, or die, at any instruction. The first in the queue moves the door at
// least every 150 ms; where nothing has moved for 300 ms, any other waiter opens the door and
// strikes the first one's ticket. One that was only stopped draws another ticket when it goes on.
// So no thread outside can keep a free lock from others.
//
// The death of a holder makes waiters return peer_failed; the lock cannot be used from then on.
#pragma once

#include <atomic>
#include <cstdint>

#include "oriel/errc.hpp"
#include "sync/doorbell.hpp"
#include "sync/wait.hpp"

namespace oriel::sync {

enum class lock_group : std::uint8_t { shared, exclusive };
enum class capacity : std::uint8_t { one, many };
// What to do about a lock that this process holds already (exclusive, capacity one): wait, because
// another of its threads will leave, or refuse, because it cannot be meant.
enum class reentry : std::uint8_t { waits, refused };

class alignas(64) group_lock_state {
 public:
  // The world rank that is in alone; -1 when there is none. May be out of date at once.
  [[nodiscard]] int owner() const noexcept {
    return static_cast<int>(owner_.load(std::memory_order_relaxed)) - 1;
  }

  // How many are in together; likewise.
  [[nodiscard]] int sharers() const noexcept {
    return static_cast<int>(holders(word_.load(std::memory_order_relaxed), lock_group::shared));
  }

  // Returns whether the lock is held; may be out of date at once.
  [[nodiscard]] bool occupied() const noexcept {
    return (word_.load(std::memory_order_seq_cst) & (one_shutting - 1)) != 0;
  }

  // One attempt; newcomers respect the door.
  bool try_enter(lock_group r, capacity c, int me) noexcept {
    std::uint64_t now = word_.load(std::memory_order_seq_cst);
    while (admits(now, r, c) && (now & door) == 0)
      if (swap(now, now + unit(r))) return entered(r, c, me);
    return false;
  }
  errc leave(lock_group r) noexcept {
    if (r == lock_group::exclusive) owner_.store(0, std::memory_order_relaxed);
    const std::uint64_t before = word_.fetch_sub(unit(r), std::memory_order_seq_cst);
    if (holders(before, r) == 0) [[unlikely]] {
      word_.fetch_add(unit(r), std::memory_order_seq_cst);
      return errc::rma_sync;
    }
    ring(doorbell_);
    return errc::success;
  }
  // Out of line: everything beyond one attempt.
  errc enter_slowly(lock_group, capacity, int me, const peer_watch&, reentry) noexcept;

 private:
  friend class group_queue;

  // From below: holders of the shared lock_group, of the exclusive one, how often the door was
  // shut, and the door. The count distinguishes one shutting from another, so that a waiter opens
  // the one that it has seen.
  static constexpr int holder_bits = 24;
  static constexpr std::uint64_t most_holders = (std::uint64_t{1} << holder_bits) - 1;
  static constexpr std::uint64_t one_shared = 1;
  static constexpr std::uint64_t one_exclusive = one_shared << holder_bits;
  static constexpr std::uint64_t one_shutting = one_exclusive << holder_bits;
  static constexpr std::uint64_t door = std::uint64_t{1} << 63;
  static constexpr std::uint64_t shuttings = door - one_shutting;

  static constexpr std::uint64_t unit(lock_group r) noexcept {
    return r == lock_group::shared ? one_shared : one_exclusive;
  }
  static constexpr std::uint64_t holders(std::uint64_t word, lock_group r) noexcept {
    return (r == lock_group::shared ? word : word >> holder_bits) & most_holders;
  }
  static constexpr bool admits(std::uint64_t word, lock_group r, capacity c) noexcept {
    const bool other_empty =
        holders(word, r == lock_group::shared ? lock_group::exclusive : lock_group::shared) == 0;
    if (r == lock_group::shared || c == capacity::many) return other_empty;
    return other_empty && holders(word, r) == 0;
  }
  bool swap(std::uint64_t& from, std::uint64_t to) noexcept {
    return word_.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }
  bool entered(lock_group r, capacity c, int me) noexcept {
    if (r == lock_group::exclusive && c == capacity::one)
      owner_.store(static_cast<std::uint32_t>(me) + 1, std::memory_order_relaxed);
    return true;
  }

  // The door as it is now, shut by the caller.
  std::uint64_t shut_door() noexcept {
    std::uint64_t now = word_.load(std::memory_order_seq_cst);
    std::uint64_t then = 0;
    do then = (now & ~shuttings) | ((now + one_shutting) & shuttings) | door;
    while (!swap(now, then));
    return then & (door | shuttings);
  }
  // Unless it has been moved since it was `shut`.
  void open_door(std::uint64_t shut) noexcept {
    std::uint64_t now = word_.load(std::memory_order_seq_cst);
    while ((now & (door | shuttings)) == shut && !swap(now, now & ~door)) {
    }
  }
  // Takes a ticket out of the queue, from wherever in it, unless it is out already.
  void strike(std::uint32_t ticket) noexcept {
    std::uint64_t now = queue_.load(std::memory_order_seq_cst);
    std::uint64_t then = 0;
    do {
      auto head = static_cast<std::uint32_t>(now >> 32);
      if (passed(ticket, head)) return;
      std::uint32_t gone = static_cast<std::uint32_t>(now) | 1u << (ticket - head);
      for (; (gone & 1u) != 0; gone >>= 1) ++head;
      then = std::uint64_t{head} << 32 | gone;
    } while (!queue_.compare_exchange_weak(now, then, std::memory_order_seq_cst));
  }
  static constexpr bool passed(std::uint32_t ticket, std::uint32_t head) noexcept {
    return static_cast<std::int32_t>(ticket - head) < 0;
  }

  std::atomic<std::uint64_t> word_;
  wait_word doorbell_;
  std::atomic<std::uint32_t> owner_;    // rank + 1
  std::atomic<std::uint32_t> tickets_;  // drawn so far
  // The queue: above, the ticket that is first in it; below, bit i for "ticket first + i has gone".
  std::atomic<std::uint64_t> queue_;
};
static_assert(sizeof(group_lock_state) == 64);

inline bool try_enter(group_lock_state& lock, lock_group r, capacity c,
                      int world_rank_of_me) noexcept {
  return lock.try_enter(r, c, world_rank_of_me);
}
// peer_failed: see above. rma_sync: reentry::refused, and this process is in alone already.
inline errc enter(group_lock_state& lock, lock_group r, capacity c, int world_rank_of_me,
                  const peer_watch& peers, reentry again = reentry::waits) noexcept {
  if (lock.try_enter(r, c, world_rank_of_me)) [[likely]]
    return errc::success;
  return lock.enter_slowly(r, c, world_rank_of_me, peers, again);
}
// Returns rma_sync where that group does not hold the lock.
inline errc leave(group_lock_state& lock, lock_group r) noexcept {
  return lock.leave(r);
}

}  // namespace oriel::sync
