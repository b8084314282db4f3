#include "transport/poller.hpp"

#include <algorithm>
#include <chrono>

#include "session/node/signal_masked_thread.hpp"

namespace oriel::transport {

poller::~poller() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_release);
  thread_.join();
}

void poller::add(const void* key, std::function<bool()> look) {
  const std::lock_guard hold(clients_mutex_);
  clients_.push_back({key, std::move(look)});
  if (thread_.joinable()) return;
  thread_ = sessions::start_quietly([this] { run(); });
}

void poller::remove(const void* key) {
  const std::lock_guard hold(clients_mutex_);
  std::erase_if(clients_, [key](const client& c) { return c.key == key; });
}

void poller::run() noexcept {
  using std::chrono::microseconds;
  constexpr int busy_looks = 200;
  int idle = 0;
  while (!stop_.load(std::memory_order_acquire)) {
    bool worked = false;
    {
      const std::lock_guard hold(clients_mutex_);
      for (const client& c : clients_) worked = c.look() || worked;
    }
    idle = worked ? 0 : std::min(idle + 1, 2 * busy_looks);
    if (idle < busy_looks)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(microseconds(idle < 2 * busy_looks ? 10 : 100));
  }
}

}  // namespace oriel::transport
