// Messages as the provider gets them, and the buffers that they leave from.
#include <rdma/fi_errno.h>

#include <cstring>

#include "transport/libfabric.hpp"

namespace oriel::transport {

message_head libfabric::stamped(message_head head, std::size_t payload) const noexcept {
  head.job = settings_.job;
  head.from = job_.rank();
  head.bytes = static_cast<std::uint32_t>(payload);
  return head;
}

// One attempt; -FI_EAGAIN when the provider or the send buffers are busy.
ssize_t libfabric::post_message(int rail, int to, const message_head& head,
                                std::span<const std::byte> payload) noexcept {
  endpoint& port = port_of(rail);
  constexpr std::size_t short_message = 512;
  const std::size_t bytes = sizeof head + payload.size();
  const auto compose = [&](std::byte* at) {
    std::memcpy(at, &head, sizeof head);
    std::byte* const behind = at + sizeof head;
    if (!payload.empty() && payload.data() != behind)
      std::memcpy(behind, payload.data(), payload.size());
  };
  spoken_to_[static_cast<std::size_t>(to)].store(true, std::memory_order_relaxed);
  const bool nudges = head.kind == message_kind::nudge;  // which is not lost unseen, nor counted
  if (!nudges && bytes <= short_message && bytes <= port.inject_size()) {
    std::array<std::byte, short_message> m;
    compose(m.data());
    const ssize_t code = port.inject(to, m.data(), bytes);
    if (code == 0) {
      messages_.fetch_add(1, std::memory_order_relaxed);
      give_room(payload);
    }
    return code;
  }
  send_buffer* const lent = lent_for(payload);
  send_buffer* const buffer = lent != nullptr ? lent : take_send_buffer();
  if (buffer == nullptr) return -FI_EAGAIN;
  compose(buffer->bytes.data());
  buffer->to = to;
  buffer->rail = rail;
  buffer->length = bytes;
  const ssize_t code =
      port.send(to, buffer->bytes.data(), bytes, send_region_.descriptor(), *buffer);
  if (code == 0) {
    if (!nudges) messages_.fetch_add(1, std::memory_order_relaxed);
  } else if (lent == nullptr) {
    give_send_buffer(*buffer);
  } else {
    buffer->rail = no_rail;
  }
  return code;
}

libfabric::send_buffer* libfabric::take_send_buffer(std::size_t to_spare) noexcept {
  const std::lock_guard hold(idle_sends_mutex_);
  if (idle_sends_.size() <= to_spare) return nullptr;
  send_buffer* const b = idle_sends_.back();
  idle_sends_.pop_back();
  return b;
}

void libfabric::give_send_buffer(send_buffer& b) noexcept {
  const std::lock_guard hold(idle_sends_mutex_);
  b.rail = no_rail;
  idle_sends_.push_back(&b);
}

libfabric::send_buffer* libfabric::lent_for(std::span<const std::byte> payload) noexcept {
  if (payload.empty()) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(payload.data()) -
                  reinterpret_cast<std::uintptr_t>(send_room_.get());
  return at < sends * longest_message ? &send_buffers_[at / longest_message] : nullptr;
}

// Half of them stay for messages that come from elsewhere, so that answers leave whoever holds
// rooms and waits for some.
std::span<std::byte> libfabric::take_room() noexcept {
  send_buffer* const b = take_send_buffer(sends / 2);
  if (b == nullptr) return {};
  return b->bytes.subspan(sizeof(message_head), longest_unordered_payload);
}

}  // namespace oriel::transport
