#include "win/serve/serve_mail.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "win/serve/apply_far.hpp"
#include "win/serve/apply_request.hpp"
#include "win/serve/apply_runs.hpp"
#include "win/serve/serve_packet.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using sync::am_kind;
using sync::am_request;

std::size_t bytes_of(const am_request& m) noexcept {
  switch (m.kind) {
    case am_kind::accumulate:
    case am_kind::get_accumulate:
      return m.elements * size_of(m.type);
    default:
      return m.elements;
  }
}

// What the longer of its two ways carries.
std::size_t room_of(const am_request& m, std::size_t bytes) noexcept {
  const bool nothing = m.kind == am_kind::accumulate && m.op == atomic_op::no_op;
  return nothing ? 0 : m.kind == am_kind::compare_swap ? 2 * bytes : bytes;
}

std::byte* location_of(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT: it is exposed
}

// Where the operands of a request are and its results go, and for how many bytes each.
struct operand_places {
  const std::byte* operands;
  std::byte* results;
  std::size_t most;
};

operand_places places_of(const window_core& core, sync::mailbox::slot& s,
                         const am_request& m) noexcept {
  if (!m.is_near) return {s.request(), s.reply(), s.most()};
  sync::named_operands at;
  std::memcpy(&at, s.small_request.data(), sizeof at);
  const sessions::node_memory& memory = core.node_memory();
  const std::uint64_t last = std::max(at.operands, at.results);
  if (last >= memory.capacity()) return {nullptr, nullptr, 0};
  return {memory.base() + at.operands, memory.base() + at.results, memory.capacity() - last};
}

// Of a copy: what has been verified does not change.
errc apply_packet(window_core& core, const sync::packet_note& n) noexcept {
  const packet_request asked = noted_packet::unpacked(n.head);
  const sessions::node_memory& memory = core.node_memory();
  constexpr std::uint64_t both_ways = 2 * packet_bytes;
  if (std::max(n.bytes, asked.results) > packet_bytes || n.place > memory.capacity() ||
      memory.capacity() - n.place < both_ways)
    return errc::rma_range;
  std::array<std::byte, packet_bytes> entries;
  std::memcpy(entries.data(), memory.base() + n.place, n.bytes);
  return perform_packet(core, asked, {entries.data(), n.bytes},
                        memory.base() + n.place + packet_bytes);
}

// By value: another process wrote it, and may change it.
errc apply(window_core& core, sync::mailbox::slot& s, const am_request m, int origin) noexcept {
  if (m.is_far) {
    sync::named_operands at;
    std::memcpy(&at, s.small_request.data(), sizeof at);
    return apply_far(core, m, at,
                     rank{core.group->node_members()[static_cast<std::size_t>(origin)]});
  }
  const operand_places at = places_of(core, s, m);
  if (m.kind == am_kind::get_runs)
    return m.elements > at.most
               ? errc::rma_range
               : collect_runs(core, {at.operands, m.elements}, {at.results, at.most});
  if (m.kind >= am_kind::put_runs) {
    std::size_t replied = 0;
    return m.elements > at.most ? errc::rma_range
                                : apply_runs(core, m, at.operands, at.results, replied);
  }
  const std::size_t bytes = bytes_of(m);
  // Another process wrote the request: it reaches exposed memory or nothing.
  if (room_of(m, bytes) > at.most ||
      !core.memory.own_book->exposes(m.address, bytes, core.agreed.extent))
    return errc::rma_range;
  return apply_request(
      core, {m.kind, m.op, m.type, location_of(m.address), at.operands, at.results, bytes});
}

}  // namespace

bool serve_mail(window_core& core) noexcept {
  const auto while_attached_stays = [&core](auto work) noexcept {
    std::unique_lock attached_stays(core.memory.serving_attached, std::defer_lock);
    if (core.agreed.promised.has(assertion::attach)) attached_stays.lock();
    return work();
  };
  const bool requests =
      core.routes.mailbox->serve_pending([&](sync::mailbox::slot& s, int origin) noexcept {
        s.head.outcome = while_attached_stays([&] { return apply(core, s, s.head, origin); });
      });
  const bool packets = core.routes.board->serve_pending([&](const sync::packet_note& n) noexcept {
    return while_attached_stays([&] { return apply_packet(core, n); });
  });
  if (core.routes.packets != nullptr) core.routes.packets->tick_near();
  return requests || packets;
}

}  // namespace oriel::win
