#include "sync/room_lock.hpp"

#include <chrono>

namespace oriel::sync {
namespace {

using steady = std::chrono::steady_clock;

// Longer than the wake of a sleeper takes (about 50 µs), short against anyone's patience.
constexpr std::chrono::milliseconds patience{1};
constexpr std::chrono::milliseconds door_shut_at_most{100};
constexpr std::chrono::milliseconds door_open_between{5};

}  // namespace

// One waiter: what it tries each time the ladder asks, and its place in the queue.
class room_queue {
 public:
  room_queue(room_lock_state& lock, room r, capacity c, int me) noexcept
      : lock_(lock), room_(r), capacity_(c), me_(me), since_(steady::now()) {}

  // Whether this waiter is in now.
  bool attempt() noexcept {
    if (!queued_) {
      if (lock_.try_enter(room_, capacity_, me_)) return true;
      if (steady::now() - since_ < patience) return false;
      ticket_ = lock_.tickets_.fetch_add(1, std::memory_order_seq_cst);
      queued_ = true;
    }
    if (lock_.serving_.load(std::memory_order_seq_cst) != ticket_) return false;
    return attempt_first();
  }

  // The wait has failed. The queue moves on if this waiter was its head; a hole further back stays,
  // and those behind it find out about the failure as this one did.
  void give_up() noexcept {
    if (!queued_ || lock_.serving_.load(std::memory_order_seq_cst) != ticket_) return;
    if (shut_) lock_.word_.fetch_and(~room_lock_state::door, std::memory_order_seq_cst);
    next();
  }

 private:
  // Only the head of the queue moves the door, so it belongs to one waiter at a time.
  bool attempt_first() noexcept {
    std::uint64_t now = lock_.word_.load(std::memory_order_seq_cst);
    while (room_lock_state::admits(now, room_, capacity_)) {
      const std::uint64_t in = (now & ~room_lock_state::door) + room_lock_state::unit(room_);
      if (!lock_.swap(now, in)) continue;
      lock_.entered(room_, capacity_, me_);
      next();
      return true;
    }
    const auto moved = steady::now();
    if (!shut_ && moved - door_moved_ >= door_open_between) {
      lock_.word_.fetch_or(room_lock_state::door, std::memory_order_seq_cst);
      shut_ = true;
      door_moved_ = moved;
    } else if (shut_ && moved - door_moved_ >= door_shut_at_most) {
      lock_.word_.fetch_and(~room_lock_state::door, std::memory_order_seq_cst);
      shut_ = false;
      door_moved_ = moved;
      ring(lock_.bell_);
    }
    return false;
  }
  // Those who slept because of the door or the queue look again.
  void next() noexcept {
    lock_.serving_.store(ticket_ + 1, std::memory_order_seq_cst);
    ring(lock_.bell_);
  }

  room_lock_state& lock_;
  room room_;
  capacity capacity_;
  int me_;
  steady::time_point since_;
  bool queued_ = false;
  std::uint32_t ticket_ = 0;
  bool shut_ = false;
  steady::time_point door_moved_{};  // long ago: the door may be shut at once
};

errc room_lock_state::enter_slowly(room r, capacity c, int me, const boot::peer_watch& peers,
                                   reentry again) noexcept {
  if (again == reentry::refused && r == room::exclusive && c == capacity::one && owner() == me)
    return errc::rma_sync;
  room_queue waiter(*this, r, c, me);
  const errc waited =
      boot::wait_for(bell_, peers, [&waiter](std::uint32_t) { return waiter.attempt(); });
  if (waited != errc::success) waiter.give_up();
  return waited;
}

}  // namespace oriel::sync
