#include "transport/agent.hpp"

#include <optional>

#include "sync/request_bell.hpp"

namespace oriel::transport {
namespace {

// Watches no peer: the agent serves on whichever rank dies. Ranks compute on these cores, and the
// one that has asked may wait on this one for its turn: the agent yields it at once, and soon
// sleeps; sooner where a thread of the program's has served.
class no_peers final : public sync::peer_watch {
 public:
  explicit no_peers(bool more_may_follow) noexcept : more_may_follow_(more_may_follow) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] int looks() const noexcept override { return 0; }
  [[nodiscard]] int yields() const noexcept override {
    return more_may_follow_ ? peer_watch::yields() : 0;
  }

 private:
  bool more_may_follow_;
};

}  // namespace

// Asleep until the bell rings.
class agent::at_bell final : public service_thread::rest {
 public:
  explicit at_bell(sync::request_bell& bell) noexcept : bell_(bell) {}

  void begin_round() noexcept override {
    served_.store(bell_.rung.value.load(std::memory_order_acquire), std::memory_order_relaxed);
  }
  void until_next(bool worked, const std::atomic<bool>& stop) noexcept override {
    if (worked) bell_.be_attended(false);
    const bool rests = !has_rung();
    sync::wait_for(bell_.rung, no_peers(worked), [&](std::uint32_t rung) {
      return rung != served_.load(std::memory_order_relaxed) || stop.load();
    });
    if (rests) bell_.wakes.fetch_add(1, std::memory_order_relaxed);
  }
  void end_early() noexcept override {
    if (bell_.ring()) bell_.wake_agent();
  }
  void note_served_by_program() const noexcept { bell_.be_attended(true); }
  [[nodiscard]] bool has_rung() const noexcept {
    return bell_.rung.value.load(std::memory_order_relaxed) !=
           served_.load(std::memory_order_relaxed);
  }

 private:
  sync::request_bell& bell_;
  std::atomic<std::uint32_t> served_{0};  // what the bell showed when it was served last
};

agent::agent(detail::session_state& session)
    : service_thread(std::make_unique<at_bell>(session.job().bell(session.job().rank()))),
      job_(session.job()),
      bell_(static_cast<const at_bell&>(resting())) {
  job_.be_served_by(this);
}

agent::~agent() {
  job_.be_served_by(nullptr);
}

bool agent::serve_rung() noexcept {
  const bool is_asked = job_.expected_request().is_here() || bell_.has_rung();
  const bool soon = serves_soon();
  if (!is_asked && !soon) return false;
  if (soon) serves_soon_.store(false, std::memory_order_relaxed);
  const std::optional<bool> worked = serve_here();
  if (!worked) {
    if (soon) serve_soon();  // whoever is at it may have passed what was to be served
    return false;
  }
  if (*worked) bell_.note_served_by_program();
  return true;
}

}  // namespace oriel::transport
