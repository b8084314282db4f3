// Short messages by lanes.
#include <rdma/fi_errno.h>

#include "transport/libfabric.hpp"

namespace oriel::transport {

// One attempt, by the lane to the rank where there is one and it has room; -FI_EAGAIN when the
// provider or the send buffers are busy. A long message goes by no other way than the lane, and
// keeps its order so.
ssize_t libfabric::post_by_lane(int to, const message_head& head,
                                std::span<const std::byte> payload) noexcept {
  if (lanes_->write(to, head, payload)) {
    spoken_to_[static_cast<std::size_t>(to)].store(true, std::memory_order_relaxed);
    messages_.fetch_add(1, std::memory_order_relaxed);
    give_room(payload);
    return 0;
  }
  if (payload.size() > longest_payload && lanes_->leads_to(to)) return post_long(to, head, payload);
  message_head h = head;
  const lanes::outside place = lanes_->next_outside(to);
  h.number = place.number;
  const ssize_t code = post_message(0, to, h, payload);
  if (code != 0) return code;
  lanes_->sent(to, place, sizeof h + h.bytes);
  if (h.kind != message_kind::lane) offer_lane(to, false);
  return 0;
}

ssize_t libfabric::post_long(int to, const message_head& head,
                             std::span<const std::byte> payload) noexcept {
  if (payload.size() > longest_unordered_payload) return -FI_EINVAL;
  send_buffer* const lent = lent_for(payload);
  send_buffer* const buffer = lent != nullptr ? lent : take_send_buffer();
  if (buffer == nullptr) return -FI_EAGAIN;
  buffer->to = to;
  buffer->rail = 0;
  buffer->length = sizeof head + payload.size();
  spoken_to_[static_cast<std::size_t>(to)].store(true, std::memory_order_relaxed);
  const ssize_t code = lanes_->write_long(to, head, payload, buffer->bytes, *buffer);
  if (code == 0) {
    messages_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  if (lent == nullptr) give_send_buffer(*buffer);
  if (!lanes_->is_stuck(to)) return code;
  message_head nudge;
  nudge.kind = message_kind::nudge;
  const lanes::outside place = lanes_->next_outside(to);
  nudge.number = place.number;
  nudge = stamped(nudge, 0);
  if (post_message(0, to, nudge, {}) == 0) lanes_->sent(to, place, sizeof nudge);
  return code;
}

// Ranks that read much of each other are offered lanes as those that exchange messages.
bool libfabric::answers_sooner(int to, std::size_t bytes) noexcept {
  if (lanes_ == nullptr || bytes > lane_line::most) return false;
  if (lanes_->leads_to(to)) return true;
  lanes_->spoke(to);
  offer_lane(to, false);
  return false;
}

void libfabric::offer_lane(int to, bool asked) noexcept {
  const auto mine = lanes_->offer(to, asked);
  if (!mine) return;
  message_head head;
  head.kind = message_kind::lane;
  head.carry(*mine);
  send_or_defer(to, stamped(head, 0), {});
}

}  // namespace oriel::transport
