// A thread that looks where nobody can ring: kernels of devices wake no process. One a process,
// started with the first client and ended with the session. It looks often while there is work, and
// the longer there is none the longer it sleeps, up to 100 µs.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "session/session_state.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<poller>()`.
class poller {
 public:
  explicit poller(detail::session_state&) noexcept {}
  ~poller();
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;

  // `look` says whether it found anything to do. Called on the poller's thread until `remove`.
  void add(const void* key, std::function<bool()> look);
  // On return `look` is not running and will not be called again.
  void remove(const void* key);

 private:
  struct client {
    const void* key;
    std::function<bool()> look;
  };
  void run() noexcept;

  std::mutex clients_mutex_;
  std::vector<client> clients_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace oriel::transport
