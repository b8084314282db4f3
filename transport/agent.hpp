// The progress agent: one thread per process, started with the first window whose owner must serve
// requests while it computes, asleep on this process's doorbell when idle. It ends with the
// session.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "session/session_state.hpp"
#include "session/wait.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<agent>()`.
class agent {
 public:
  explicit agent(detail::session_state& session) noexcept : session_(session) {}
  ~agent();
  agent(const agent&) = delete;
  agent& operator=(const agent&) = delete;

  // `serve` is called on the agent's thread whenever the doorbell has rung, until `remove`.
  void add(const void* key, std::function<void()> serve);
  // On return `serve` is not running and will not be called again.
  void remove(const void* key);
  [[nodiscard]] bool running() const noexcept { return thread_.joinable(); }

 private:
  struct client {
    const void* key;
    std::function<void()> serve;
  };
  void run() noexcept;
  [[nodiscard]] boot::wait_word& doorbell() const noexcept;

  detail::session_state& session_;
  std::mutex clients_mutex_;
  std::vector<client> clients_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace oriel::transport
