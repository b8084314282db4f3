#include "sync/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace oriel::sync {

std::size_t mailbox::bytes(int ranks) noexcept {
  const auto p = static_cast<std::size_t>(ranks);
  return p * (sizeof(slot) + sizeof(wait_word)) +
         p * static_cast<std::size_t>(words(ranks)) * sizeof(std::atomic<std::uint32_t>);
}

std::atomic<std::uint32_t>& mailbox::pending(int target, int word) const noexcept {
  auto* const bits = reinterpret_cast<std::atomic<std::uint32_t>*>(&read_by(ranks_));
  return bits[target * words(ranks_) + word];
}

wait_word& mailbox::read_by(int owner) const noexcept {
  return reinterpret_cast<wait_word*>(block_ +
                                      static_cast<std::size_t>(ranks_) * sizeof(slot))[owner];
}

namespace {

// Waits for the owner alone, whose agent may need this core to answer.
class owner_watch final : public like_watch {
 public:
  owner_watch(const mailbox_peers& peers, int owner, look_count* looks = nullptr,
              bool with_patience = true, request_bell* unanswered = nullptr) noexcept
      : like_watch(*peers.waits),
        peers_(&peers),
        owner_(owner),
        looks_(looks),
        with_patience_(with_patience),
        unanswered_(unanswered) {}
  [[nodiscard]] bool any_failed() const noexcept override { return !peers_->alive(owner_); }
  [[nodiscard]] bool oversubscribed() const noexcept override {
    return oversubscribed_with_agents();
  }
  [[nodiscard]] int looks() const noexcept override {
    if (looks_ != nullptr && oversubscribed()) return looks_->next();
    return unanswered_ != nullptr ? std::min(looks_before_wake, like_watch::looks())
                                  : like_watch::looks();
  }
  void note_looks(bool in_time) const noexcept override {
    if (looks_ != nullptr) looks_->note(in_time);
    if (!in_time && unanswered_ != nullptr) unanswered_->wake_agent();
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return with_patience_ ? like_watch::patience() : std::nullopt;
  }

 private:
  // Some 10 us, which a wake takes as well; in jobs of several nodes a few times that, since this
  // thread looks at the network meanwhile.
  static constexpr int looks_before_wake = 400;

  const mailbox_peers* peers_;
  int owner_;
  look_count* looks_;
  bool with_patience_;
  request_bell* unanswered_;
};

}  // namespace

errc mailbox::wait_for_answer(const debt& d, bool with_patience,
                              request_bell* unanswered) noexcept {
  const owner_watch owner(peers_, d.owner, &looks_, with_patience, unanswered);
  return wait_for(slot_of(me_).state, owner, [&d](std::uint32_t now) { return now != d.asked; });
}

errc mailbox::ask(int target, const am_request& asked, const void* request, std::size_t sent,
                  void* reply, std::size_t replied) noexcept {
  if (sent > mail_payload || replied > mail_payload) return errc::size;
  const std::lock_guard hold(mine_);
  slot& s = slot_of(me_);
  // Lines that the owner had last: they come at once, not one after the other.
  request_bell& bell = peers_.bell(target);
  __builtin_prefetch(&s, 1);
  __builtin_prefetch(&bell, 1);
  if (late_.owner >= 0 && wait_for_answer(late_) == errc::timed_out) return errc::timed_out;
  late_ = {};
  s.head = asked;
  s.head.is_small = sent <= small_mail && replied <= small_mail;
  if (asked.names_operands()) s.taken().store(slot::open, std::memory_order_relaxed);
  if (sent != 0) std::memcpy(s.request(), request, sent);
  // The owner changes it next, when it has served this.
  const std::uint32_t turn = (s.state.value.load(std::memory_order_relaxed) | owner_name::mask) +
                             1 + owner_name::of(target);
  s.state.value.store(turn, std::memory_order_release);
  if (!are_few()) pending(target, me_ / 32).fetch_or(1u << (me_ % 32), std::memory_order_release);
  request_bell* const unanswered = bell.ring() ? &bell : nullptr;
  const debt mine{target, turn};
  if (const errc e = wait_for_answer(mine, true, unanswered); e != errc::success) {
    if (e != errc::timed_out) return e;
    if (!asked.names_operands() || s.take(slot::withdrawn)) {
      late_ = mine;
      return e;
    }
    // It is being served, from memory that the caller may not have back before that ends.
    if (const errc ended = wait_for_answer(mine, false); ended != errc::success) return ended;
  }
  if (s.head.outcome == errc::success && replied != 0) std::memcpy(reply, s.reply(), replied);
  return s.head.outcome;
}

void mailbox::tell_read(std::uint32_t turn) noexcept {
  read_by(me_).value.store(turn, std::memory_order_seq_cst);
  wake_all(read_by(me_));
}

errc mailbox::wait_read(int owner, std::uint32_t turn) noexcept {
  return wait_for(read_by(owner), owner_watch(peers_, owner),
                  [turn](std::uint32_t now) { return static_cast<std::int32_t>(now - turn) >= 0; });
}

}  // namespace oriel::sync
