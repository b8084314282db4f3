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

errc mailbox::ask(int target, boot::wait_word& doorbell, const mail& letter, const void* request,
                  std::size_t sent, void* reply, std::size_t replied) noexcept {
  if (sent > mail_payload || replied > mail_payload) return errc::size;
  const std::lock_guard hold(mine_);
  if (lost_) return errc::peer_failed;
  slot& s = slot_of(me_);
  s.letter = letter;
  if (sent != 0) std::memcpy(s.request.data(), request, sent);
  const std::uint32_t asked = s.state.value.fetch_add(1, std::memory_order_release) + 1;
  pending(target, me_ / 32).fetch_or(1u << (me_ % 32), std::memory_order_release);
  doorbell.value.fetch_add(1, std::memory_order_seq_cst);
  boot::wake_all(doorbell);
  const errc waited =
      boot::wait_for(s.state, *peers_, [asked](std::uint32_t now) { return now != asked; });
  if (waited != errc::success) {
    lost_ = true;
    return waited;
  }
  if (s.letter.outcome == errc::success && replied != 0)
    std::memcpy(reply, s.reply.data(), replied);
  return s.letter.outcome;
}

}  // namespace oriel::transport
