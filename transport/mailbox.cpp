#include "transport/mailbox.hpp"

#include <cstring>

namespace oriel::transport {

std::size_t mailbox::bytes(int ranks) noexcept {
  const auto p = static_cast<std::size_t>(ranks);
  return p * sizeof(slot) +
         p * static_cast<std::size_t>(words(ranks)) * sizeof(std::atomic<std::uint32_t>);
}

std::atomic<std::uint32_t>& mailbox::pending(int target, int word) const noexcept {
  auto* const bits = reinterpret_cast<std::atomic<std::uint32_t>*>(
      block_ + static_cast<std::size_t>(ranks_) * sizeof(slot));
  return bits[target * words(ranks_) + word];
}

errc mailbox::wait_for_answer(const debt& d) noexcept {
  const boot::rank_watch owner(*job_, members_[static_cast<std::size_t>(d.owner)]);
  return boot::wait_for(slot_of(me_).state, owner,
                        [&d](std::uint32_t now) { return now != d.asked; });
}

errc mailbox::ask(int target, const mail& letter, const void* request, std::size_t sent,
                  void* reply, std::size_t replied) noexcept {
  if (sent > mail_payload || replied > mail_payload) return errc::size;
  const std::lock_guard hold(mine_);
  slot& s = slot_of(me_);
  if (late_.owner >= 0 && wait_for_answer(late_) == errc::timed_out) return errc::timed_out;
  late_ = {};
  s.letter = letter;
  if (sent != 0) std::memcpy(s.request.data(), request, sent);
  const std::uint32_t asked = s.state.value.fetch_add(1, std::memory_order_release) + 1;
  pending(target, me_ / 32).fetch_or(1u << (me_ % 32), std::memory_order_release);
  boot::wait_word& doorbell = job_->doorbell(members_[static_cast<std::size_t>(target)]);
  doorbell.value.fetch_add(1, std::memory_order_seq_cst);
  boot::wake_all(doorbell);
  const debt mine{target, asked};
  if (const errc e = wait_for_answer(mine); e != errc::success) {
    if (e == errc::timed_out) late_ = mine;
    return e;
  }
  if (s.letter.outcome == errc::success && replied != 0)
    std::memcpy(reply, s.reply.data(), replied);
  return s.letter.outcome;
}

}  // namespace oriel::transport
