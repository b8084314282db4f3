// How a process counts on one window: each thread in tallies of its own (win/statistics/page.hpp).
// Only operations that call the window's table are counted; those that are inlined stay loads and
// stores.
//
// Where the node has no memory for them, tallies are the process's own, and nobody else sees them.
// Threads that came when `most_threads` counted already are never counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>

#include "oriel/rank.hpp"
#include "oriel/statistics.hpp"
#include "sync/system.hpp"
#include "win/statistics/counting.hpp"
#include "win/statistics/page.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

inline constexpr unsigned most_threads = 127;
// Of this thread among those of the process that count, from 1 on; 0: it has none yet; `surplus`:
// there was none left. A thread that begins after another has ended may get its number, and goes on
// with its tallies. Read by operations, so it is reached without a call.
inline constexpr unsigned surplus = most_threads + 1;
extern thread_local constinit unsigned thread_number [[gnu::tls_model("initial-exec")]];

class counters {
 public:
  // This thread's; null before it has counted for the first time.
  [[nodiscard]] tallies* mine() const noexcept {
    return by_thread_[thread_number].load(std::memory_order_relaxed);
  }
  // The same, made where there are none; null where they cannot be made.
  tallies* make_mine(detail::window_core&) noexcept;
  // Where this thread counts single elements; null before it has for the first time.
  [[nodiscard]] tallies* words(counting how) const noexcept {
    switch (how) {
      case counting::off:
        return nullptr;
      case counting::by_process:
        return of_process_;
      case counting::by_thread:
        return mine();
    }
    return nullptr;
  }
  // The same, made where there are none.
  tallies* make_words(detail::window_core&) noexcept;
  [[nodiscard]] window_statistics read(const detail::window_core&) const noexcept;
  // The page is given back. Requires: nobody counts any more.
  void close(detail::window_core&) noexcept;

  int me = 0;  // this rank

 private:
  [[nodiscard]] tallies* make_page(detail::window_core&);
  // In the node's memory. Throws no_mem.
  [[nodiscard]] tallies* make_shown(detail::window_core&);

  tallies* of_process_ = nullptr;
  // The first, and that of `surplus`, stay null.
  std::array<std::atomic<tallies*>, most_threads + 2> by_thread_{};
  sync::mutex making_;
  std::forward_list<tallies> unshown_;
  std::uint64_t page_ = 0;   // offset
  tallies* last_ = nullptr;  // of the list
};

}  // namespace oriel::win
