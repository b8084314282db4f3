// What operations call to be counted, once nothing refuses them any more.
#pragma once

#include <cstdint>

#include "win/trace/probe.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Out of line: a thread's first.
[[gnu::cold]] void count_first(detail::window_core&, operation_kind, access_route,
                               std::uint64_t bytes, std::uint64_t n) noexcept;
// An element of mapped memory, where it may be a thread's first, and returns success; not where
// single elements are not counted.
[[gnu::cold]] errc count_word_slowly(detail::window_core&, operation_kind, rank,
                                     std::size_t bytes) noexcept;

// `n` operations of `bytes` bytes each.
[[gnu::always_inline]] inline void count(detail::window_core& core, operation_kind k,
                                         access_route r, std::uint64_t bytes,
                                         std::uint64_t n = 1) noexcept {
  tallies* const mine = core.counts.mine();
  if (mine == nullptr) [[unlikely]]
    return count_first(core, k, r, bytes, n);
  ORIEL_PROBE4(operation, k, r, bytes, n);
  mine->note(k, r, bytes, n);
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

// An element that one instruction moves, or works on, of this rank's own memory or another's.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void note_word(tallies& mine, operation_kind k, bool own) noexcept {
  static_assert(Bytes <= 8);
  ORIEL_PROBE4(operation, k, own ? access_route::self : access_route::load_store, Bytes, 1);
  mine.note_word(k, own, word_size(Bytes));
}

// The same, the last thing that its slot does but for `give`, which stores the result. Where that
// is stored before, a loop of gets out of cache takes 13 ns each, and not 7.6: the counter waits
// behind it.
template <class Word, counting How, class Give>
[[gnu::always_inline]] inline errc count_word(detail::window_core& core, operation_kind k, rank r,
                                              Give give) noexcept {
  if constexpr (How != counting::off) {
    tallies* const mine = core.counts.words(How);
    if (mine == nullptr) [[unlikely]] {
      give();
      return count_word_slowly(core, k, r, sizeof(Word));
    }
    note_word<sizeof(Word)>(*mine, k, r.value == core.counts.me);
  }
  give();
  return errc::success;
}
template <class Word, counting How>
[[gnu::always_inline]] inline errc count_word(detail::window_core& core, operation_kind k,
                                              rank r) noexcept {
  return count_word<Word, How>(core, k, r, [] {});
}

}  // namespace oriel::win
