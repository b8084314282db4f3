#include "sync/wait.hpp"

#include <algorithm>

namespace oriel::sync {

thread_local constinit waiting_work work_of_this_thread = nullptr;
thread_local constinit wait_note* note_of_this_thread = nullptr;

errc patience_clock::look(bool at_peers) noexcept {
  if (at_peers && peers_->any_failed()) return errc::peer_failed;
  const auto now = clock::now();
  // Not the other way: the longest of milliseconds has no number of nanoseconds.
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_);
  if (const auto most = peers_->patience(); most && waited > *most) return errc::timed_out;
  pause_ = std::min(pause_ * 2, wait_ladder::longest_sleep);
  next_ = now + pause_;
  return errc::success;
}

}  // namespace oriel::sync
