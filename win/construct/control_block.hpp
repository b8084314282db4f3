// The layout of a window's block of shared memory: what the promises make necessary, and nothing
// else. Offsets in bytes from the start of the block; every part starts on a cache line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "atomics/gates.hpp"
#include "atomics/stripes.hpp"
#include "oriel/assertion.hpp"
#include "oriel/detail/window_view.hpp"
#include "sync/barrier.hpp"
#include "sync/group_lock.hpp"
#include "sync/last_out.hpp"
#include "sync/mailbox.hpp"
#include "sync/notify_counter.hpp"
#include "sync/packet_board.hpp"
#include "sync/pscw.hpp"
#include "win/check/shadow_log.hpp"
#include "win/segment_book.hpp"

namespace oriel::win {

// How other nodes name a rank's memory.
struct remote_ticket {
  std::uint64_t key = 0;
  std::uint64_t base = 0;  // added to displacements
};

struct control_needs {
  assertion_set promised;
  int ranks = 1;                // of the team
  int node_ranks = 1;           // of them, on this node
  bool remote = false;          // some ranks are on other nodes
  bool tickets = false;         // keys of remote memory that cannot be agreed
  bool books = false;           // some memory is not mapped, or may be attached
  bool agent = false;           // owners serve requests
  bool stripes = false;         // some element type is wider than an atomic instruction
  bool gates = false;           // accumulates may be long, beside single atomics
  bool checked = false;         // ORIEL_CHECK=1
  std::size_t order_bytes = 0;  // likewise: what synchronization passes on
  std::size_t notify_counters = 0;
  std::size_t shared_packets = 0;  // bytes, where several ranks of this node reach other nodes
};

// The block starts with the ranks that have departed; the other parts follow.
struct control_layout {
  std::size_t segments = 0;  // one a rank of the team; all else is for this node's ranks
  std::size_t tickets = 0;   // likewise
  std::size_t barrier = 0;
  std::size_t between = 0;   // the outcome of fences between the nodes: an errc, latched
  std::size_t locks = 0;     // one a rank
  std::size_t all_lock = 0;  // lock_all against exclusive locks
  std::size_t pscw = 0;
  std::size_t notify = 0;  // notify_counters a rank
  std::size_t books = 0;
  std::size_t mailboxes = 0;
  std::size_t packets = 0;  // to owners of this node
  std::size_t stripes = 0;
  std::size_t gates = 0;
  std::size_t shadow = 0;
  std::size_t order = 0;
  std::size_t shared_packets = 0;
  std::size_t bytes = 0;  // of the whole block
};

constexpr std::size_t cache_line = 64;
constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept {
  return (n + to - 1) / to * to;
}

inline control_layout lay_out(const control_needs& need) {
  control_layout at;
  const auto ranks = static_cast<std::size_t>(need.node_ranks);
  std::size_t end = round_up(sync::last_out::bytes(need.node_ranks), 2 * cache_line);
  const auto part = [&end](std::size_t bytes) {
    const std::size_t start = end;
    end = round_up(end + bytes, cache_line);
    return start;
  };
  at.segments = part(static_cast<std::size_t>(need.ranks) * sizeof(detail::segment_entry));
  if (need.tickets) at.tickets = part(static_cast<std::size_t>(need.ranks) * sizeof(remote_ticket));
  if (need.promised.has(assertion::fence)) {
    end = round_up(end, 2 * cache_line);
    at.barrier = part(sync::node_barrier::bytes(need.node_ranks));
    if (need.remote) at.between = part(sizeof(std::atomic<std::int32_t>));
  }
  // Shared locks alone exclude no rank, so they need no word.
  if (need.promised.has(assertion::exclusive_lock)) {
    at.locks = part(ranks * sizeof(sync::group_lock_state));
    if (need.promised.has(assertion::shared_lock))
      at.all_lock = part(sizeof(sync::group_lock_state));
  }
  if (need.promised.has(assertion::pscw)) at.pscw = part(sync::pscw::bytes(need.node_ranks));
  if (need.promised.has(assertion::notify))
    at.notify = part(ranks * need.notify_counters * sizeof(sync::notify_counter_state));
  if (need.books) at.books = part(ranks * sizeof(segment_book_state));
  if (need.agent) at.mailboxes = part(sync::mailbox::bytes(need.node_ranks));
  if (need.agent) at.packets = part(sync::packet_board::bytes(need.node_ranks));
  if (need.stripes) at.stripes = part(atomics::stripes::bytes());
  if (need.gates) at.gates = part(atomics::gates::bytes(need.node_ranks));
  if (need.checked) at.shadow = part(ranks * sizeof(shadow_log_state));
  if (need.checked) at.order = part(need.order_bytes);
  // The last: ranks may differ in its size, and that of the first of the node counts.
  if (need.remote && need.node_ranks > 1) at.shared_packets = part(need.shared_packets);
  at.bytes = end;
  return at;
}

}  // namespace oriel::win
