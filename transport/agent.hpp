// The progress agent: one thread per process, started with the first window whose owner must serve
// requests while it computes, asleep on this process's doorbell when idle. It ends with the
// session. The program's own threads may serve in its place where they pass by.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "session/session_state.hpp"
#include "sync/wait.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<agent>()`.
class agent {
 public:
  explicit agent(detail::session_state& session) noexcept : session_(session) {}
  ~agent();
  agent(const agent&) = delete;
  agent& operator=(const agent&) = delete;

  // `serve` is called whenever the doorbell has rung, until `remove`: on the agent's thread or by
  // serve_rung, one at a time. It must not call an embedding program.
  void add(const void* key, std::function<void()> serve);
  // On return `serve` is not running and will not be called again.
  void remove(const void* key);
  // Serves now what the doorbell has rung for, unless a thread is at it. Whether there was
  // anything; two loads where there was nothing. Any thread.
  bool serve_rung() noexcept;
  [[nodiscard]] bool running() const noexcept { return thread_.joinable(); }

 private:
  struct client {
    const void* key;
    std::function<void()> serve;
  };
  void run() noexcept;
  void serve_all() noexcept;
  [[nodiscard]] sync::wait_word& doorbell() const noexcept;

  detail::session_state& session_;
  std::mutex clients_mutex_;
  std::vector<client> clients_;
  std::atomic<std::uint32_t> served_{0};  // what the doorbell showed when it was served last
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace oriel::transport
