// The messages between processes of different nodes: one head, then a payload. Bytes from outside:
// `parse` verifies that they are a message of this job before anything is used.
//
// The head has a body of 16 bytes, which holds one struct: that of the message's kind here, or that
// of the call where it is a request (win/route/remote_call.hpp). So no field means two things.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "oriel/detail/numbered.hpp"
#include "oriel/errc.hpp"

namespace oriel::transport {

enum class message_kind : std::uint8_t {
  collective,  // a part of what one step of a collective sends: collective_part
  request,     // for a service, which answers with a reply: what its call takes
  reply,       // to the request that had this cookie: reply_outcome
  bye,         // the sender closes its session and waits until all that it sent has arrived
  bye_back,    // it has
  taken,       // of the messages that the receiver has sent: taken_messages
  closed,      // rails: closed_rails
  asks_taken,  // which of its messages have been, in a `taken`: sent_messages
  lane,        // the sender's memory for what the receiver writes there: lane_offer
  nudge,       // what its sender has written into the lane before is there, or lost
  last = nudge,
};
// Those that are numbered where ranks have several rails.
constexpr bool is_numbered(message_kind k) noexcept {
  return k < message_kind::taken;
}

// Bodies. None has undefined bytes.
struct collective_part {
  std::uint32_t turn = 0;         // which collective of the team or window
  std::uint32_t round = 0;        // which of its steps
  std::uint64_t total_bytes = 0;  // of all parts
};
struct reply_outcome {
  errc outcome = errc::success;
};
struct taken_messages {
  std::uint32_t all_before = 0;   // the number of the next
  std::uint32_t answers = 0;      // 1: a question, which was sent behind
  std::uint32_t sent_before = 0;  // all before this one
};
struct sent_messages {
  std::uint32_t all_before = 0;
};
struct closed_rails {
  std::uint32_t here = 0;   // bit k: rail k, by which nothing arrives at the sender any more
  std::uint32_t there = 0;  // those at the receiver, as far as the sender has received
  std::uint32_t asks = 0;   // 1: for a report in return
};
struct lane_offer {
  std::uint64_t address = 0, key = 0;
};

struct message_head {
  static constexpr std::size_t body_bytes = 16;

  std::uint64_t job = 0;        // a number that only the job's ranks know
  std::uint64_t addressee = 0;  // of a collective, the group; of a request, the service
  std::uint32_t cookie = 0;     // of a request and its reply; 0: there is no reply
  std::int32_t from = 0;        // world rank
  std::uint32_t bytes = 0;      // of the payload
  message_kind kind = message_kind::collective;
  std::uint8_t call = 0;     // of a request: which of the service's
  std::uint16_t number = 0;  // where there are several rails, among those to this rank; else lanes'
  std::array<std::byte, body_bytes> body{};

  template <class Body>
  void carry(const Body& b) noexcept {
    static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= body_bytes);
    std::memcpy(body.data(), &b, sizeof b);
  }
  // What the sender wrote there, whatever that is.
  template <class Body>
  [[nodiscard]] Body carried() const noexcept {
    static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= body_bytes);
    Body b;
    std::memcpy(&b, body.data(), sizeof b);
    return b;
  }
};
static_assert(sizeof(message_head) == 48);

// Messages of up to this many bytes arrive in the order in which one process sent them: they fit an
// eager message of the software providers (16 KiB).
inline constexpr std::size_t longest_ordered = 16384;
inline constexpr std::size_t longest_payload = longest_ordered - sizeof(message_head);
// Longer ones may be passed, as ofi_rxm cuts them into segments; it takes half of the time for them
// that it takes for as many bytes in eager ones. By lanes they keep their order, and take two
// thirds of that time again (lanes.hpp).
inline constexpr std::size_t longest_message = 65536;
// The room for one has room for a line of a lane.
inline constexpr std::size_t longest_unordered_payload =
    longest_message - sizeof(message_head) - 64;

struct message {
  message_head head;
  std::span<const std::byte> payload;
};

// Whether what came from outside is one of the enumerators.
template <class Enumeration>
constexpr bool is_known(Enumeration e) noexcept {
  return detail::numbered<Enumeration>(static_cast<int>(e)).has_value();
}

// Whether kind and body are what ranks send.
inline bool is_sane(const message_head& h) noexcept {
  return h.kind <= message_kind::last &&
         (h.kind != message_kind::reply || is_known(h.carried<reply_outcome>().outcome));
}

// Nothing when the bytes are not a message of `job`, whose ranks are 0 to ranks - 1. The payload
// points into `bytes`. A request's call and body are for its service to check.
inline std::optional<message> parse(std::span<const std::byte> bytes, std::uint64_t job,
                                    int ranks) noexcept {
  message m;
  if (bytes.size() < sizeof m.head) return std::nullopt;
  std::memcpy(&m.head, bytes.data(), sizeof m.head);
  const message_head& h = m.head;
  if (h.job != job || h.from < 0 || h.from >= ranks || h.bytes != bytes.size() - sizeof h ||
      !is_sane(h))
    return std::nullopt;
  m.payload = bytes.subspan(sizeof h);
  return m;
}

}  // namespace oriel::transport
