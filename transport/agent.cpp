#include "transport/agent.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sync/wait.hpp"

namespace oriel::transport {
namespace {

// Watches no peer: the agent serves on whichever rank dies. Ranks compute on these cores, and the
// one that has asked may wait on this one for its turn: the agent yields it at once, and soon
// sleeps.
class no_peers final : public sync::peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] int looks() const noexcept override { return 0; }
};

}  // namespace

// Asleep until the doorbell rings.
class agent::at_doorbell final : public service_thread::rest {
 public:
  explicit at_doorbell(sync::wait_word& doorbell) noexcept : doorbell_(doorbell) {}

  void begin_round() noexcept override {
    served_.store(doorbell_.value.load(std::memory_order_acquire), std::memory_order_relaxed);
  }
  void until_next(bool, const std::atomic<bool>& stop) noexcept override {
    sync::wait_for(doorbell_, no_peers{}, [&](std::uint32_t rung) {
      return rung != served_.load(std::memory_order_relaxed) || stop.load();
    });
  }
  void end_early() noexcept override {
    doorbell_.value.fetch_add(1, std::memory_order_seq_cst);
    sync::wake_all(doorbell_);
  }
  // Requests cost their origins no wake of the agent while another thread serves them. Short at
  // first: that thread may be about to compute. The longer it has served, the longer, since each
  // look for that takes some 30 us of a processor that serves.
  bool others_serve() noexcept override {
    const std::uint32_t now = by_others_.load(std::memory_order_relaxed);
    const bool serve = std::exchange(by_others_seen_, now) != now;
    aside_ = serve ? std::min(2 * aside_, longest_aside) : shortest_aside;
    return serve;
  }
  [[nodiscard]] std::chrono::microseconds aside() const noexcept override { return aside_; }
  void note_served_by_another() const noexcept {
    by_others_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_rung() const noexcept {
    return doorbell_.value.load(std::memory_order_relaxed) !=
           served_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::chrono::microseconds shortest_aside{100}, longest_aside{1600};
  sync::wait_word& doorbell_;
  std::atomic<std::uint32_t> served_{0};  // what the doorbell showed when it was served last
  mutable std::atomic<std::uint32_t> by_others_{0};
  std::uint32_t by_others_seen_ = 0;
  std::chrono::microseconds aside_ = shortest_aside;
};

agent::agent(detail::session_state& session)
    : service_thread(std::make_unique<at_doorbell>(session.job().doorbell(session.job().rank()))),
      job_(session.job()),
      doorbell_(static_cast<const at_doorbell&>(resting())) {
  job_.be_served_by(this);
}

agent::~agent() {
  job_.be_served_by(nullptr);
}

bool agent::serve_rung() noexcept {
  if (!job_.expected_request().is_here() && !doorbell_.has_rung()) return false;
  if (!serve_here()) return false;
  doorbell_.note_served_by_another();
  return true;
}

}  // namespace oriel::transport
