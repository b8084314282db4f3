#include "sync/wait.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace oriel::sync {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds at_most) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec limit{seconds.count(), (at_most - seconds).count()};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

thread_local constinit waiting_work work_of_this_thread = nullptr;
thread_local constinit wait_note* note_of_this_thread = nullptr;

errc patience_clock::look(bool at_peers) noexcept {
  if (at_peers && peers_->any_failed()) return errc::peer_failed;
  const auto now = std::chrono::steady_clock::now();
  if (const auto most = peers_->patience(); most && now - began_ > *most) return errc::timed_out;
  pause_ = std::min(pause_ * 2, wait_ladder::longest_sleep);
  next_ = now + pause_;
  return errc::success;
}

void wait_ladder::yield() noexcept {
  sched_yield();
}

}  // namespace oriel::sync
