// The agent: progress while the application computes.
//
// It steps aside while the application's own threads make progress; stays awake for a little after
// something has happened, since more tends to follow; and else sleeps on the provider's descriptor,
// or where there is none, naps, the longer the less happens.
#include <algorithm>

#include "sync/system.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::chrono::microseconds lingers{100};
constexpr std::chrono::milliseconds sleeps{50};
constexpr long shortest_nap_us = 50;
constexpr long longest_nap_us = 1000;

void nap(long microseconds) noexcept {
  sync::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace

class libfabric::at_descriptor final : public service_thread::rest {
 public:
  explicit at_descriptor(libfabric& way) noexcept : fabric_(way) {}

  void until_next(bool worked, const std::atomic<bool>&) noexcept override {
    const auto now = clock::now();
    if (worked) {
      awake_until_ = now + lingers;
      idle_nap_us_ = shortest_nap_us;
    } else if (fabric_.ticking_.load(std::memory_order_relaxed)) {
      nap(50);
    } else if (now < awake_until_) {
      sync::wait_ladder::yield();
    } else if (!fabric_.port_->can_sleep()) {
      // Such an endpoint does not show what it serves either, so the nap stays short for long.
      nap(idle_nap_us_);
      idle_nap_us_ = std::min(idle_nap_us_ + 1, longest_nap_us);
    } else if (fabric_.sleep(sleeps)) {
      awake_until_ = clock::now() + lingers;
    }
  }
  void end_early() noexcept override { fabric_.wake(); }
  bool others_serve() noexcept override {
    const std::uint64_t polls = fabric_.polls_.load(std::memory_order_relaxed);
    return std::exchange(polls_seen_, polls) != polls;
  }

 private:
  using clock = sync::clock;
  libfabric& fabric_;
  std::uint64_t polls_seen_ = 0;
  clock::time_point awake_until_{};
  long idle_nap_us_ = shortest_nap_us;
};

std::unique_ptr<service_thread::rest> libfabric::make_rest() {
  return std::make_unique<at_descriptor>(*this);
}

void libfabric::start_agent() {
  const std::lock_guard hold(agent_mutex_);
  if (agent_users_.fetch_add(1) == 0 && !agent_.running())
    agent_.add(this, [this] { return make_progress() > 0; });
}

// The thread stays: another such window is likely, and it sleeps meanwhile.
void libfabric::stop_agent() noexcept {
  agent_users_.fetch_sub(1);
}

}  // namespace oriel::transport
