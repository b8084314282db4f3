// What operations call to be counted, once nothing refuses them any more.
#pragma once

#include <cstdint>

#include "win/trace/probe.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Out of line: a thread's first.
[[gnu::cold]] void count_first(detail::window_core&, operation_kind, access_route,
                               std::uint64_t bytes, std::uint64_t n) noexcept;
[[gnu::cold]] errc count_first_word(detail::window_core&, operation_kind, rank) noexcept;

// `n` operations of `bytes` bytes each.
[[gnu::always_inline]] inline void count(detail::window_core& core, operation_kind k,
                                         access_route r, std::uint64_t bytes,
                                         std::uint64_t n = 1) noexcept {
  ORIEL_PROBE4(operation, k, r, bytes, n);
  if (tallies* const mine = core.counts.mine()) [[likely]]
    mine->note(k, r, bytes, n);
  else
    count_first(core, k, r, bytes, n);
}

// A message to another node, with so many operations.
inline void count_packet(detail::window_core& core, std::uint64_t operations) noexcept {
  tallies* mine = core.counts.mine();
  if (mine == nullptr) mine = core.counts.make_mine(core);
  if (mine == nullptr) return;
  mine->packets.add(1);
  mine->packed.add(operations);
}

// In windows that are mapped everywhere.
inline access_route counted_by(const detail::window_core& core, rank r) noexcept {
  return r.value == core.counts.me ? access_route::self : access_route::load_store;
}

// An element that one instruction has moved, or worked on, there: the last thing that its slot
// does.
[[gnu::always_inline]] inline errc count_word(detail::window_core& core, operation_kind k,
                                              rank r) noexcept {
  tallies* const mine = core.counts.mine();
  if (mine == nullptr) [[unlikely]]
    return count_first_word(core, k, r);
  mine->words[static_cast<std::size_t>(k)][r.value == core.counts.me ? 0 : 1].add(1);
  return errc::success;
}

}  // namespace oriel::win
