#include "sync/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace oriel::sync {

namespace {

struct alignas(64) taken_line {
  std::atomic<std::uint64_t> request;
};

constexpr std::size_t index(int rank) noexcept {
  return static_cast<std::size_t>(rank);
}

}  // namespace

// The slots, what each owner has taken, what it has read, and the bits.
std::size_t mailbox::bytes(int ranks) noexcept {
  return index(ranks) *
         (sizeof(slot) + sizeof(taken_line) + sizeof(wait_word) +
          static_cast<std::size_t>(words(ranks)) * sizeof(std::atomic<std::uint32_t>));
}

std::atomic<std::uint64_t>& mailbox::taken_by(int owner) const noexcept {
  return reinterpret_cast<taken_line*>(block_ + index(ranks_) * sizeof(slot))[owner].request;
}

std::atomic<std::uint32_t>& mailbox::pending(int target, int word) const noexcept {
  auto* const bits = reinterpret_cast<std::atomic<std::uint32_t>*>(&read_by(ranks_));
  return bits[target * words(ranks_) + word];
}

wait_word& mailbox::read_by(int owner) const noexcept {
  return reinterpret_cast<wait_word*>(block_ +
                                      index(ranks_) * (sizeof(slot) + sizeof(taken_line)))[owner];
}

// This rank's slot is one thread's.
class mailbox::lease {
 public:
  explicit lease(mailbox& of) noexcept : of_(of) { begin(); }
  ~lease() { of_.mine_.unlock(); }
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  // Others have theirs, for longer each time. Requires: the slot is free.
  void lend() noexcept {
    of_.mine_.unlock();
    const auto until = clock::now() + absence_;
    absence_ = std::min(2 * absence_, longest_absence);
    unsigned before = 0;
    do {
      before = of_.leases_.load(std::memory_order_relaxed);
      of_.peers_.waits->progress();
      if (const waiting_work work = while_waiting()) work();
      sleep_for(a_look);
    } while (of_.leases_.load(std::memory_order_relaxed) != before && clock::now() < until);
    begin();
  }

 private:
  static constexpr std::chrono::milliseconds a_look{1}, longest_absence{20};

  void begin() noexcept {
    if (!of_.mine_.try_lock()) {
      // One that falls asleep just now wakes by itself soon.
      if (of_.others_.fetch_add(1) == 0) wake_all(of_.slot_of(of_.me_).state);
      of_.mine_.lock();
      of_.others_.fetch_sub(1);
    }
    of_.leases_.store(of_.leases_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  mailbox& of_;
  std::chrono::milliseconds absence_ = wait_ladder::shortest_sleep;
};

errc mailbox::wait_for_answer(const under_way& r, const owner_watch& owner) noexcept {
  return wait_for(slot_of(me_).state, owner, [&](std::uint32_t now) {
    return is_answered(r, now) || (now == r.asked ? gives_way(owner) : !is_taken(r));
  });
}

bool mailbox::withdraw(const under_way& r) noexcept {
  std::atomic<std::uint32_t>& state = slot_of(me_).state.value;
  std::uint32_t found = r.asked;
  if (!state.compare_exchange_strong(found, r.asked | slot::withdrawing,
                                     std::memory_order_seq_cst) &&
      is_answered(r, found))
    return false;
  // Who is done with it has answered before.
  if (is_taken(r) || is_answered(r)) return false;
  state.store(r.asked & ~owner_name::mask, std::memory_order_relaxed);
  return true;
}

std::uint32_t mailbox::post(int target, const am_request& asked, const void* request,
                            std::size_t sent, std::size_t replied) noexcept {
  slot& s = slot_of(me_);
  s.head = asked;
  s.head.is_small = sent <= small_mail && replied <= small_mail;
  if (sent != 0) std::memcpy(s.request(), request, sent);
  // The owner changes it next, when it takes this.
  const std::uint32_t posted =
      (s.state.value.load(std::memory_order_relaxed) & ~(slot::one_more - 1)) + slot::one_more +
      owner_name::of(target);
  s.state.value.store(posted, std::memory_order_release);
  if (!are_few()) pending(target, me_ / 32).fetch_or(1u << (me_ % 32), std::memory_order_release);
  return posted;
}

errc mailbox::ask(int target, const am_request& asked, const void* request, std::size_t sent,
                  void* reply, std::size_t replied) noexcept {
  if (sent > mail_payload || replied > mail_payload) return errc::size;
  if (peers_.is_known_dead(target)) [[unlikely]]
    return errc::peer_failed;
  lease mine(*this);
  slot& s = slot_of(me_);
  // Lines that the owner had last: they come at once, not one after the other.
  request_bell& bell = peers_.bell(target);
  __builtin_prefetch(&s, 1);
  __builtin_prefetch(&bell, 1);
  std::chrono::nanoseconds spent{0};
  for (;;) {
    // The dead write no slot.
    if (late_.owner >= 0 && !peers_.is_known_dead(late_.owner) &&
        wait_for_answer(late_, owner_watch(peers_, late_.owner)) == errc::timed_out)
      return errc::timed_out;
    late_ = {};
    const under_way now{target, post(target, asked, request, sent, replied)};
    const owner_watch owner(peers_, target, bell.ring() ? &bell : nullptr, looks_, spent);
    errc e = wait_for_answer(now, owner);
    if (e == errc::success && !is_answered(now)) e = owner.verdict();
    if (is_answered(now)) break;
    if (e == errc::peer_failed) return e;
    if (!withdraw(now)) {
      if (e != errc::timed_out) e = wait_for_answer(now, owner_watch(peers_, target));
      // It is carried out from memory that the caller may not have back before that ends.
      if (e == errc::timed_out && asked.names_operands() &&
          wait_for_answer(now, owner_watch(peers_, target, false)) == errc::peer_failed)
        return errc::peer_failed;
      if (is_answered(now)) break;
      if (e == errc::peer_failed) return e;
      if (!withdraw(now)) {
        late_ = now;
        return errc::timed_out;
      }
    }
    if (e == errc::timed_out) return e;
    mine.lend();
    spent += owner.waited();
  }
  if (s.head.outcome == errc::success && replied != 0) std::memcpy(reply, s.reply(), replied);
  return s.head.outcome;
}

void mailbox::tell_read(std::uint32_t turn) noexcept {
  read_by(me_).value.store(turn, std::memory_order_seq_cst);
  wake_all(read_by(me_));
}

errc mailbox::wait_read(int owner, std::uint32_t turn) noexcept {
  return wait_for_owner(read_by(owner), owner_watch(peers_, owner), [turn](std::uint32_t now) {
    return static_cast<std::int32_t>(now - turn) >= 0;
  });
}

}  // namespace oriel::sync
