#include "transport/service_thread.hpp"

#include "session/node/launcher_cores.hpp"
#include "session/node/signal_masked_thread.hpp"
#include "sync/wait.hpp"

namespace oriel::transport {
void service_thread::start(const void* key, std::function<bool()> serve) {
  const std::lock_guard hold(clients_mutex_);
  clients_.push_back({key, std::move(serve)});
  if (thread_.joinable()) return;
  thread_ = sessions::start_quietly([this] { run(); });
}

void service_thread::remove(const void* key) {
  const std::lock_guard hold(clients_mutex_);
  std::erase_if(clients_, [key](const client& c) { return c.key == key; });
}

void service_thread::end() noexcept {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_seq_cst);
  rest_->end_early();
  thread_.join();
}

void service_thread::run() noexcept {
  sessions::use_launcher_cores();
  while (!stop_.load(std::memory_order_acquire)) {
    if (rest_->others_serve()) {
      sync::sleep_for(aside);
      continue;
    }
    bool worked = false;
    {
      const std::lock_guard hold(clients_mutex_);
      worked = serve_all();
    }
    rest_->until_next(worked, stop_);
  }
}

// Under the mutex.
bool service_thread::serve_all() noexcept {
  rest_->begin_round();
  bool worked = false;
  for (const client& c : clients_) worked = c.serve() || worked;
  return worked;
}

std::optional<bool> service_thread::serve_here() noexcept {
  const std::unique_lock hold(clients_mutex_, std::try_to_lock);
  if (!hold) return std::nullopt;
  const sync::working_while_waiting alone(nullptr);
  return serve_all();
}

}  // namespace oriel::transport
