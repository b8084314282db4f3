// ORIEL_TRACE=DIR: what the calls of this process's windows do, in DIR/<pid of rank
// 0>.<rank>.trace, a ring of ORIEL_TRACE_EVENTS events of which the last stay. A file that cannot
// be made is a sentence on the standard error, and nothing is traced then.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "kinds/stream_calls.hpp"
#include "session/session_state.hpp"
#include "sync/system.hpp"
#include "win/statistics/counters.hpp"
#include "win/statistics/thread_number.hpp"
#include "win/trace/event.hpp"
#include "win/trace/ticks.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

class trace_file {
 public:
  // Lives as `session_state::extension<trace_file>()`.
  explicit trace_file(detail::session_state&);
  ~trace_file();
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  static constexpr int fewest_events = 1 << 8, most_events = 1 << 26, usual_events = 1 << 18;

  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }
  // Under what number the events of a window are noted.
  std::uint32_t add_window(const detail::window_core&) noexcept;
  // Requires: is_open().
  void note(trace::event e) noexcept {
    const std::uint64_t i = next();
    if (i % events_between_looks == 0) [[unlikely]]
      look_at_clocks(file_->last);
    e.thread = thread_number % surplus;
    ring_[i & mask_].write(e);
  }
  // The number of a stream, from 1 on.
  std::uint8_t number_of(kinds::stream_of_device) noexcept;
  // What a stream does, noted by a thread that is none of the program's: it neither blocks nor
  // allocates. Requires: e.stream is a number that number_of() has returned.
  void note_of_stream(trace::event e) noexcept {
    e.thread = trace::first_stream + e.stream;
    ring_[file_->begun.fetch_add(1, std::memory_order_relaxed) & mask_].write(e);
  }

 private:
  static constexpr std::uint64_t events_between_looks = 4096;
  std::uint64_t next() noexcept {
    if (thread_number == 0) [[unlikely]]
      number_this_thread();
    if (!one_thread_) return file_->begun.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t i = file_->begun.load(std::memory_order_relaxed);
    file_->begun.store(i + 1, std::memory_order_relaxed);
    return i;
  }
  static void look_at_clocks(trace::moment&) noexcept;

  trace::header* file_ = nullptr;
  trace::slot* ring_ = nullptr;
  std::uint64_t mask_ = 0;
  std::size_t bytes_ = 0;
  bool one_thread_;  // notes; streams make several
  sync::mutex numbering_;
  std::vector<kinds::stream_of_device> streams_;
};

}  // namespace oriel::win
