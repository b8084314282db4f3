#include "sync/group_queue.hpp"

#include <chrono>

namespace oriel::sync {
namespace {

using steady = clock;

// Longer than the wake of a sleeper takes (about 50 µs), short against any time-out.
constexpr std::chrono::milliseconds patience{1};
constexpr std::chrono::milliseconds door_shut_at_most{100};
constexpr std::chrono::milliseconds door_open_between{5};

// The first in the queue moves the door every 100 ms, or 50 ms later where it sleeps meanwhile; on
// a busy machine it may have to wait for a processor besides.
constexpr std::chrono::milliseconds silent_at_most{300};

constexpr std::uint32_t longest_queue = 32;  // bits of the queue word's lower half

}  // namespace

bool group_queue::attempt() noexcept {
  // While the door is open, those in the queue are no worse off than newcomers.
  if (lock_->try_enter(group_, capacity_, me_)) {
    withdraw();
    return true;
  }
  const auto now = steady::now();
  if (queued_ && group_lock_state::passed(ticket_, first())) {
    open_own_door();
    queued_ = false;
  }
  if (!queued_ && now - since_ >= patience) queued_ = draw();
  if (queued_ && first() == ticket_) return attempt_first(now);
  watch_first(now);
  return false;
}

void group_queue::withdraw() noexcept {
  if (!queued_) return;
  open_own_door();
  lock_->strike(ticket_);
  queued_ = false;
  // Waiters that slept because of the door or the queue try again.
  ring(lock_->doorbell_);
}

bool group_queue::draw() noexcept {
  std::uint32_t next = lock_->tickets_.load(std::memory_order_seq_cst);
  do {
    if (next - first() >= longest_queue) return false;
  } while (!lock_->tickets_.compare_exchange_weak(next, next + 1, std::memory_order_seq_cst));
  ticket_ = next;
  return true;
}

void group_queue::open_own_door() noexcept {
  if (shut_ != 0) lock_->open_door(shut_);
  shut_ = 0;
}

bool group_queue::attempt_first(steady::time_point now) noexcept {
  std::uint64_t word = lock_->word_.load(std::memory_order_seq_cst);
  while (group_lock_state::admits(word, group_, capacity_)) {
    const std::uint64_t in = (word & ~group_lock_state::door) + group_lock_state::unit(group_);
    if (!lock_->swap(word, in)) continue;
    shut_ = 0;
    lock_->entered(group_, capacity_, me_);
    withdraw();
    return true;
  }
  // Other waiters have opened it if this one has not moved it in time.
  const bool shut =
      shut_ != 0 && (word & (group_lock_state::door | group_lock_state::shuttings)) == shut_;
  if (!shut && now - door_moved_ >= door_open_between) {
    shut_ = lock_->shut_door();
    door_moved_ = now;
  } else if (shut && now - door_moved_ >= door_shut_at_most) {
    open_own_door();
    door_moved_ = now;
    ring(lock_->doorbell_);
  }
  return false;
}

void group_queue::watch_first(steady::time_point now) noexcept {
  const std::uint64_t word = lock_->word_.load(std::memory_order_seq_cst);
  const sight current{first(), word & (group_lock_state::door | group_lock_state::shuttings)};
  if (current != seen_) {
    seen_ = current;
    seen_since_ = now;
    return;
  }
  if (now - seen_since_ < silent_at_most) return;
  // In this order: should this waiter stop in between, the next one does the rest.
  if ((current.door & group_lock_state::door) != 0) lock_->open_door(current.door);
  if (lock_->tickets_.load(std::memory_order_seq_cst) != current.first)
    lock_->strike(current.first);
  ring(lock_->doorbell_);
}

namespace {

// All waiters sleep at one doorbell, so that whoever lets the lock go wakes every one of them. Of 6
// ranks on two processors that took turns without a pause each lock then took twenty times as long.
class doorbell_watch final : public like_watch {
 public:
  using like_watch::like_watch;
  [[nodiscard]] int yields() const noexcept override {
    return oversubscribed() ? yields_oversubscribed : wait_ladder::yields;
  }

 private:
  static constexpr int yields_oversubscribed = 200;
};

}  // namespace

errc group_lock_state::enter_slowly(lock_group r, capacity c, int me, const peer_watch& peers,
                                    reentry again) noexcept {
  if (again == reentry::refused && r == lock_group::exclusive && c == capacity::one &&
      owner() == me)
    return errc::rma_sync;
  group_queue waiter(*this, r, c, me);
  const errc waited = wait_for(doorbell_, doorbell_watch(peers),
                               [&waiter](std::uint32_t) { return waiter.attempt(); });
  if (waited != errc::success) waiter.withdraw();
  return waited;
}

}  // namespace oriel::sync
