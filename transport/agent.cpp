#include "transport/agent.hpp"

#include <algorithm>

#include "session/node/signal_masked_thread.hpp"

namespace oriel::transport {
namespace {

// Keeps serving whoever has died.
class nobody final : public sync::peer_watch {
 public:
  explicit nobody(bool oversubscribed) noexcept : oversubscribed_(oversubscribed) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return oversubscribed_; }

 private:
  bool oversubscribed_;
};

}  // namespace

agent::~agent() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_seq_cst);
  doorbell().value.fetch_add(1, std::memory_order_seq_cst);
  sync::wake_all(doorbell());
  thread_.join();
}

sync::wait_word& agent::doorbell() const noexcept {
  return session_.job().doorbell(session_.job().rank());
}

void agent::add(const void* key, std::function<void()> serve) {
  const std::lock_guard hold(clients_mutex_);
  clients_.push_back({key, std::move(serve)});
  if (thread_.joinable()) return;
  thread_ = sessions::start_quietly([this] { run(); });
}

void agent::remove(const void* key) {
  const std::lock_guard hold(clients_mutex_);
  std::erase_if(clients_, [key](const client& c) { return c.key == key; });
}

void agent::run() noexcept {
  // Others compute on these cores: as if oversubscribed, so that it soon sleeps.
  const nobody watch(true);
  while (!stop_.load(std::memory_order_acquire)) {
    sync::wait_for(doorbell(), watch, [this](std::uint32_t rung) {
      return rung != served_.load(std::memory_order_relaxed) || stop_.load();
    });
    const std::lock_guard hold(clients_mutex_);
    serve_all();
  }
}

// Under the mutex.
void agent::serve_all() noexcept {
  served_.store(doorbell().value.load(std::memory_order_acquire), std::memory_order_relaxed);
  for (const client& c : clients_) c.serve();
}

bool agent::serve_rung() noexcept {
  if (doorbell().value.load(std::memory_order_relaxed) == served_.load(std::memory_order_relaxed))
    return false;
  const std::unique_lock hold(clients_mutex_, std::try_to_lock);
  if (!hold) return false;
  const sync::working_while_waiting alone(nullptr);
  serve_all();
  return true;
}

}  // namespace oriel::transport
