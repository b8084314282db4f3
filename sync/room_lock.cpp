#include "sync/room_queue.hpp"

#include <chrono>

namespace oriel::sync {
namespace {

using steady = std::chrono::steady_clock;

// Longer than the wake of a sleeper takes (about 50 µs), short against anyone's patience.
constexpr std::chrono::milliseconds patience{1};
constexpr std::chrono::milliseconds door_shut_at_most{100};
constexpr std::chrono::milliseconds door_open_between{5};

constexpr std::uint32_t longest_queue = 32;  // bits of the queue word's lower half

}  // namespace

bool room_queue::attempt() noexcept {
  // While the door is open, those in the queue are no worse off than newcomers.
  if (lock_->try_enter(room_, capacity_, me_)) {
    withdraw();
    return true;
  }
  if (!queued_ && (steady::now() - since_ < patience || !draw())) return false;
  return first() == ticket_ && attempt_first();
}

void room_queue::withdraw() noexcept {
  if (!queued_) return;
  if (shut_) lock_->word_.fetch_and(~room_lock_state::door, std::memory_order_seq_cst);
  shut_ = false;
  std::uint64_t now = lock_->queue_.load(std::memory_order_seq_cst);
  std::uint64_t then = 0;
  do {
    auto head = static_cast<std::uint32_t>(now >> 32);
    std::uint32_t gone = static_cast<std::uint32_t>(now) | 1u << (ticket_ - head);
    for (; (gone & 1u) != 0; gone >>= 1) ++head;
    then = std::uint64_t{head} << 32 | gone;
  } while (!lock_->queue_.compare_exchange_weak(now, then, std::memory_order_seq_cst));
  queued_ = false;
  // Those who slept because of the door or the queue look again.
  ring(lock_->bell_);
}

bool room_queue::draw() noexcept {
  std::uint32_t next = lock_->tickets_.load(std::memory_order_seq_cst);
  do {
    if (next - first() >= longest_queue) return false;
  } while (!lock_->tickets_.compare_exchange_weak(next, next + 1, std::memory_order_seq_cst));
  ticket_ = next;
  queued_ = true;
  return true;
}

bool room_queue::attempt_first() noexcept {
  std::uint64_t now = lock_->word_.load(std::memory_order_seq_cst);
  while (room_lock_state::admits(now, room_, capacity_)) {
    const std::uint64_t in = (now & ~room_lock_state::door) + room_lock_state::unit(room_);
    if (!lock_->swap(now, in)) continue;
    shut_ = false;
    lock_->entered(room_, capacity_, me_);
    withdraw();
    return true;
  }
  const auto moved = steady::now();
  if (!shut_ && moved - door_moved_ >= door_open_between) {
    lock_->word_.fetch_or(room_lock_state::door, std::memory_order_seq_cst);
    shut_ = true;
    door_moved_ = moved;
  } else if (shut_ && moved - door_moved_ >= door_shut_at_most) {
    lock_->word_.fetch_and(~room_lock_state::door, std::memory_order_seq_cst);
    shut_ = false;
    door_moved_ = moved;
    ring(lock_->bell_);
  }
  return false;
}

errc room_lock_state::enter_slowly(room r, capacity c, int me, const boot::peer_watch& peers,
                                   reentry again) noexcept {
  if (again == reentry::refused && r == room::exclusive && c == capacity::one && owner() == me)
    return errc::rma_sync;
  room_queue waiter(*this, r, c, me);
  const errc waited =
      boot::wait_for(bell_, peers, [&waiter](std::uint32_t) { return waiter.attempt(); });
  if (waited != errc::success) waiter.withdraw();
  return waited;
}

}  // namespace oriel::sync
