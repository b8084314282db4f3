// What processes of different nodes say to each other: one head, then a payload. Bytes from
// outside: `parse` says whether they are a message of this job before anything is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"

namespace oriel::transport {

enum class message_kind : std::uint8_t {
  collective,  // a step of one; `id`: the group, `argument`: turn and round
  request,     // for the service named by `id`, which answers with a reply
  reply,       // to the request that had this cookie
  bye,         // the sender closes its session and wants to know that all it sent has arrived
  bye_back,    // it has
  last = bye_back,
};

struct message_head {
  std::uint64_t job = 0;       // a number that only the job's ranks know
  std::uint64_t id = 0;        // of a group or a service
  std::uint64_t argument = 0;  // as the kind or the service understands it
  std::uint32_t cookie = 0;    // of the request; 0: no reply is wanted
  std::int32_t from = 0;       // world rank
  std::uint32_t bytes = 0;     // of the payload
  std::uint32_t count = 0;     // as the service understands it; of a collective, bytes in all
  message_kind kind = message_kind::collective;
  std::uint8_t what = 0;  // as the service understands it
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  errc outcome = errc::success;  // of a reply, or of what a request tells of
};
static_assert(sizeof(message_head) == 48);

// Fits an eager message of the software providers (16 KiB).
inline constexpr std::size_t longest_message = 16384;
inline constexpr std::size_t longest_payload = longest_message - sizeof(message_head);

struct message {
  message_head head;
  std::span<const std::byte> payload;
};

// Nothing when the bytes are not a message of `job`, whose ranks are 0 to ranks - 1. The payload
// points into `bytes`.
inline std::optional<message> parse(std::span<const std::byte> bytes, std::uint64_t job,
                                    int ranks) noexcept {
  message m;
  if (bytes.size() < sizeof m.head) return std::nullopt;
  std::memcpy(&m.head, bytes.data(), sizeof m.head);
  const message_head& h = m.head;
  if (h.job != job || h.from < 0 || h.from >= ranks || h.kind > message_kind::last ||
      static_cast<int>(h.op) >= atomic_op_count || static_cast<int>(h.type) >= primitive_count ||
      static_cast<std::uint32_t>(h.outcome) > static_cast<std::uint32_t>(last_errc) ||
      h.bytes != bytes.size() - sizeof h)
    return std::nullopt;
  m.payload = bytes.subspan(sizeof h);
  return m;
}

}  // namespace oriel::transport
