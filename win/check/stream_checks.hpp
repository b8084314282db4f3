// ORIEL_CHECK: operations in the order of streams. Bounds and epochs are looked at when they are
// enqueued, as far as no graph takes them; conflicts when a stream has come to them, since what it
// has waited for before orders them. The poller's thread performs all of them in windows that are
// checked, so that it may refuse them, and signals pass on what their stream has done.
#pragma once

#include "win/stream_access.hpp"

namespace oriel::win {

// The calling thread's, of an operation that moves elements: these exist, with its place in the
// text; and, where no graph takes it, the epoch is open.
errc check_elements(detail::window_core&, const stream_operation&) noexcept;
errc check_enqueued(detail::window_core&, const stream_operation&) noexcept;

// The poller's thread's: what a stream has come to. While it lives the operation's buffer is in
// use.
class passing_operation {
 public:
  // `again`: a graph does it, of which nothing was known when it was captured.
  passing_operation(detail::window_core&, const stream_operation&, bool again) noexcept;
  // The operation is complete, or was not performed.
  ~passing_operation();
  passing_operation(const passing_operation&) = delete;
  passing_operation& operator=(const passing_operation&) = delete;

  [[nodiscard]] errc refused() const noexcept { return refused_; }

 private:
  errc check(bool again) noexcept;

  detail::window_core& core_;
  const stream_operation& of_;
  std::uint64_t number_;  // among those that have buffers
  errc refused_;
};

// Before the signal counts, and after a wait has ended.
void tell_of_signal(detail::window_core&, rank target) noexcept;
void learn_from_signals(detail::window_core&) noexcept;

// An epoch of operations at `r`, or at all ranks, ends: complains where a stream is not past one.
// `what`: "unlock".
errc check_left_to_streams(detail::window_core&, rank r, const char* what, call_site) noexcept;

}  // namespace oriel::win
