// What MPI's calls do by themselves, in memory that is mapped, counts as the window's own
// operations do (win/statistics/counting.hpp).
#pragma once

#include <cstddef>

#include "mpi/mpi_window.hpp"
#include "win/statistics/count.hpp"

namespace oriel::mpi {

// An element of 1, 2, 4 or 8 bytes.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void count_word(const mpi_window& w, const target_entry& t,
                                              operation_kind k) noexcept {
  win::tallies* mine = w.counted.of_process;
  if (mine == nullptr) {
    if (w.counted.by_thread == nullptr) return;
    mine = w.counted.by_thread->mine();
    if (mine == nullptr) [[unlikely]] {
      win::count_word_slowly(*w.any.view().core, k, w.rank_of(t), Bytes);
      return;
    }
  }
  win::note_word<Bytes>(*mine, k, !t.others);
}

// Another number of bytes.
inline void count_bytes(const mpi_window& w, const target_entry& t, operation_kind k,
                        std::size_t bytes) noexcept {
  detail::window_core& core = *w.any.view().core;
  if (bytes != 0 && core.agreed.counted != win::counting::off)
    win::count(core, k, win::counted_by(core, w.rank_of(t)), bytes);
}

}  // namespace oriel::mpi
