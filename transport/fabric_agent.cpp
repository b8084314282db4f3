// The agent: progress while the application computes.
//
// It steps aside while the application's own threads make progress, since each time that it wakes
// costs them (3 µs an operation, when it woke every 100 µs); stays awake for a little after
// something has happened, since more tends to follow; and else sleeps on the provider's descriptor,
// or where there is none, naps, the longer the less happens.
#include <time.h>

#include <algorithm>

#include "session/node/signal_masked_thread.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::chrono::microseconds lingers{100};
constexpr long aside_us = 1000;
constexpr int sleeps_ms = 50;
constexpr long shortest_nap_us = 50;
constexpr long longest_nap_us = 1000;

void nap(long microseconds) noexcept {
  const timespec t{0, microseconds * 1000};
  nanosleep(&t, nullptr);
}

}  // namespace

void libfabric::start_agent() {
  const std::lock_guard hold(agent_mutex_);
  if (agent_users_.fetch_add(1) > 0 || agent_.joinable()) return;
  agent_ = sessions::start_quietly([this] { run_agent(); });
}

// The thread stays: another such window is likely, and it sleeps meanwhile.
void libfabric::stop_agent() noexcept {
  agent_users_.fetch_sub(1);
}

void libfabric::run_agent() noexcept {
  using clock = std::chrono::steady_clock;
  std::uint64_t polls_seen = 0;
  clock::time_point awake_until{};
  long idle_nap_us = shortest_nap_us;
  while (!stop_.load(std::memory_order_acquire)) {
    if (const std::uint64_t polls = polls_.load(std::memory_order_relaxed); polls != polls_seen) {
      polls_seen = polls;
      nap(aside_us);
    } else if (make_progress() > 0) {
      awake_until = clock::now() + lingers;
      idle_nap_us = shortest_nap_us;
    } else if (ticking_.load(std::memory_order_relaxed)) {
      nap(50);
    } else if (clock::now() < awake_until) {
      sync::wait_ladder::yield();
    } else if (!port_->can_sleep()) {
      // Such an endpoint does not tell what it serves either, so the nap stays short for long.
      nap(idle_nap_us);
      idle_nap_us = std::min(idle_nap_us + 1, longest_nap_us);
    } else if (port_->sleep(sleeps_ms)) {
      awake_until = clock::now() + lingers;
    }
  }
}

}  // namespace oriel::transport
