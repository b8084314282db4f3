// A short message as it stands in a lane: one line of memory, which says by itself that it is whole
// and whose turn it is. So nothing is assumed of the order in which its bytes become visible. This
// is true of lines alone: a payload before one is there once the provider has been entered since.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "transport/message.hpp"

namespace oriel::transport {

struct lane_line {
  static constexpr std::size_t most = 16;  // bytes of payload

  std::uint64_t check = 0;      // 0: empty
  std::uint64_t addressee = 0;  // as in message_head, like what is called so below
  std::uint32_t cookie = 0;
  std::uint32_t behind = 0;  // messages that its sender has sent outside of the lane before
  message_kind kind = message_kind::collective;
  std::uint8_t call = 0;
  std::uint16_t bytes = 0;  // of the payload
  std::uint32_t taken = 0;  // lines of the lane the other way, by its sender
  std::array<std::byte, message_head::body_bytes> body{};
  std::array<std::byte, most> payload{};

  // Of the `turn`-th line of a lane between ranks of `job`; never 0.
  [[nodiscard]] std::uint64_t check_of(std::uint64_t job, std::uint32_t turn) const noexcept {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), this, sizeof words);
    std::uint64_t h = job + turn * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 1; i < words.size(); ++i) {
      h = (h ^ words[i]) * 0xd6e8feb86659fd93u;
      h ^= h >> 32;
    }
    return h | 1;
  }
};
static_assert(sizeof(lane_line) == 64);

// Whether a lane takes it, in a line or before one.
inline bool goes_by_lane(message_kind kind) noexcept {
  return kind <= message_kind::reply;
}
inline bool fits_lane(message_kind kind, std::size_t payload) noexcept {
  return goes_by_lane(kind) && payload <= lane_line::most;
}

// Where a payload does not fit the line, it goes before it. Requires: goes_by_lane.
inline lane_line line_of(const message_head& head, std::span<const std::byte> payload,
                         std::uint32_t behind, std::uint32_t taken, std::uint32_t turn) noexcept {
  lane_line l;
  l.addressee = head.addressee;
  l.cookie = head.cookie;
  l.behind = behind;
  l.kind = head.kind;
  l.call = head.call;
  l.bytes = static_cast<std::uint16_t>(payload.size());
  l.taken = taken;
  l.body = head.body;
  if (!payload.empty() && payload.size() <= lane_line::most)
    std::memcpy(l.payload.data(), payload.data(), payload.size());
  l.check = l.check_of(head.job, turn);
  return l;
}

// What is at `at`, which others may be writing: nothing unless it is the `turn`-th line, and whole.
inline std::optional<lane_line> read_line(lane_line& at, std::uint64_t job,
                                          std::uint32_t turn) noexcept {
  lane_line l;
  l.check = std::atomic_ref(at.check).load(std::memory_order_acquire);
  if (l.check == 0) return std::nullopt;
  std::memcpy(&l.addressee, &at.addressee, sizeof l - offsetof(lane_line, addressee));
  if (l.check != l.check_of(job, turn)) return std::nullopt;
  return l;
}

// Nothing when it says what no rank of the job writes. `payload`: at most as much as the line says.
inline std::optional<message> message_of(const lane_line& l, std::uint64_t job, int from,
                                         std::span<const std::byte> payload) noexcept {
  if (l.bytes != payload.size() || !goes_by_lane(l.kind)) return std::nullopt;
  message m;
  m.head.job = job;
  m.head.addressee = l.addressee;
  m.head.cookie = l.cookie;
  m.head.from = from;
  m.head.bytes = l.bytes;
  m.head.kind = l.kind;
  m.head.call = l.call;
  m.head.body = l.body;
  if (!is_sane(m.head)) return std::nullopt;
  m.payload = payload;
  return m;
}
// The same of a line that holds its payload, which points into it.
inline std::optional<message> message_of(const lane_line& l, std::uint64_t job, int from) noexcept {
  return message_of(l, job, from,
                    std::span(l.payload).first(std::min<std::size_t>(l.bytes, lane_line::most)));
}

// A line behind a long payload, in memory that one write brings.
struct long_line {
  static constexpr std::size_t most = longest_message - sizeof(lane_line);

  std::array<std::byte, most> payload;  // at its end
  lane_line line{};

  // Points into this one, where its sender could still write: so only what is longer than any list
  // that must stay as it was checked. Requires: `l` was read from `line`.
  [[nodiscard]] std::optional<message> message_of(const lane_line& l, std::uint64_t job,
                                                  int from) const noexcept {
    if (l.bytes <= longest_payload || l.bytes > longest_unordered_payload) return std::nullopt;
    return transport::message_of(l, job, from,
                                 std::span(payload).last(std::min<std::size_t>(l.bytes, most)));
  }
};
static_assert(sizeof(long_line) == longest_message);

}  // namespace oriel::transport
