// The progress agent: one thread per process, started with the first window whose owner must serve
// requests while it computes, asleep on this process's bell when idle. It ends with the session.
// The program's own threads serve in its place as they wait, or pass by, and then requests do not
// wake it.
#pragma once

#include <atomic>

#include "session/session_state.hpp"
#include "session/team/node_service.hpp"
#include "transport/service_thread.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<agent>()`.
class agent final : public service_thread, public sessions::node_service {
 public:
  explicit agent(detail::session_state&);
  ~agent() override;
  agent(const agent&) = delete;
  agent& operator=(const agent&) = delete;

  bool serve_rung() noexcept override;
  void serve_soon() noexcept override { serves_soon_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool serves_soon() const noexcept override {
    return serves_soon_.load(std::memory_order_relaxed);
  }

 private:
  class at_bell;
  sessions::job& job_;
  const at_bell& bell_;
  std::atomic<bool> serves_soon_{false};
};

}  // namespace oriel::transport
