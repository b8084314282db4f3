// What an operation needs before it begins in a packet (route/packet_streams.hpp).
#pragma once

#include "win/route/packet_stream.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

namespace oriel::win {

constexpr operation_kind kind_of(detail::list_call call) noexcept {
  switch (call) {
    case detail::list_call::put:
      return operation_kind::put;
    case detail::list_call::get:
      return operation_kind::get;
    case detail::list_call::accumulate:
      return operation_kind::accumulate;
    case detail::list_call::compare_swap:
      return operation_kind::compare_swap;
    default:
      return operation_kind::fetch_op;
  }
}

// Whether a call can be performed on the window's elements: what scattered_call refuses is not.
inline bool is_defined(const window_core& core, detail::list_call call, atomic_op op,
                       primitive type = primitive::opaque) noexcept {
  using detail::list_call;
  if (call == list_call::put || call == list_call::get) return true;
  return call == list_call::compare_swap
             ? atomics::compare_swap_kernel(element_bytes(type, core.agreed.extent)) != nullptr
             : kernel_for(core, op, type == primitive::opaque ? core.agreed.element : type) !=
                   nullptr;
}
// Returns why not, with its text.
errc refuse_call(window_core&, detail::list_call, atomic_op,
                 primitive type = primitive::opaque) noexcept;

// rma_range where some of `n` elements does not exist, as far as is known here: of what is attached
// on other nodes its owner knows, but for what no packet could name.
[[gnu::always_inline]] inline errc find_for_packet(window_core& core, rank r, disp i,
                                                   std::uint64_t n) noexcept {
  const std::uint64_t all = core.routes.packets->exposed(r);
  if (i.value < all && n <= all - i.value) [[likely]]
    return errc::success;
  target none;
  const errc e = find_target(core, r, i, n, none);
  return e != errc::success ? e : fail_with(core, errc::rma_range, r, "an operation");
}

// Returns rma_range where what it is on does not exist. Requires: the call is not refused; the
// caller's turn.
[[gnu::always_inline]] inline errc begin_in_packet(window_core& core, packet_streams::stream& s,
                                                   const packet_streams::entry& x) noexcept {
  packet_streams& streams = *core.routes.packets;
  const std::uint64_t n = streams.kind_of(s, x).elements;
  if (const errc e = find_for_packet(core, x.owner, x.index, n); e != errc::success) return e;
  const errc e = streams.begin(s, x);
  return latched(core, e, rank{s.server}, "an operation");
}

// Once it is begun.
inline void count_gathered(window_core& core, const packet_streams::stream& s,
                           const packet_streams::entry& x) noexcept {
  count(core, kind_of(x.call), access_route::packet, s.last.covered);
}

// The first after silence leaves at once; those after it gather while it is on its way.
[[gnu::always_inline]] inline errc begin_gathered(window_core& core, packet_streams::stream& s,
                                                  const packet_streams::entry& x) noexcept {
  const bool first = packet_streams::is_quiet(s);
  if (const errc e = begin_in_packet(core, s, x); e != errc::success) return e;
  count_gathered(core, s, x);
  return !first ? errc::success
                : latched(core, core.routes.packets->send(s), rank{s.server}, "an operation");
}

[[gnu::always_inline]] inline errc begin_defined(window_core& core, packet_streams::stream& s,
                                                 atomic_op op,
                                                 const packet_streams::entry& x) noexcept {
  const bool as_the_last = s.last.word == packet_word{x.call, x.kind, 0, 0, x.type}.packed();
  if (!as_the_last && !is_defined(core, x.call, op, x.type))
    return refuse_call(core, x.call, op, x.type);
  return begin_gathered(core, s, x);
}

// What an operation is on, or begins with.
struct elements_of {
  rank owner;
  disp first;
  std::uint64_t n = 1;
};

// Whether operations there may travel by the stream of their owner: of what is attached on this
// node some is mapped.
inline bool may_travel(const window_core& core, const packet_streams::stream& s,
                       const elements_of& x) noexcept {
  if (!s.near) return true;
  const route& by = core.routes.to(x.owner);
  return by.may_gather == nullptr || by.may_gather(core, x.owner, x.first, x.n);
}

// Of a single operation. Calls `in_packet` with the stream there, in its turn, or `otherwise`.
template <class InPacket, class Otherwise>
errc by_stream(window_core& core, const elements_of& x, InPacket in_packet,
               Otherwise otherwise) noexcept {
  if (core.routes.to(x.owner).in_packets) {
    packet_streams& streams = *core.routes.packets;
    const packet_streams::turn mine(streams);
    packet_streams::stream* const s = streams.to(x.owner);
    if (s != nullptr && may_travel(core, *s, x) && !streams.goes_alone(*s))
      return in_packet(streams, *s);
  }
  return otherwise(core.operations.ungathered);
}

// Operations that travel alone do not pass those before them: packets to their owner leave first.
template <auto Slot, class... Args>
errc behind_packets(window_core& core, Args... args) noexcept {
  const rank r = operands(core, args...).to;
  if (core.routes.to(r).in_packets) {
    packet_streams& streams = *core.routes.packets;
    const packet_streams::turn mine(streams);
    packet_streams::stream* const s = streams.to(r);
    const errc e = s == nullptr ? errc::success : streams.send(*s);
    if (e != errc::success) return fail_with(core, e, r, "an operation");
  }
  return (core.operations.ungathered.*Slot)(core, args...);
}

}  // namespace oriel::win
