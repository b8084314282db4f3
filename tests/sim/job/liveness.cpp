// In the place of session/node/liveness.cpp and the failure detector with its links: a thread of
// each process, which finds out what the society of pretended processes lets it.
#include "session/node/liveness.hpp"

#include <deque>
#include <mutex>
#include <utility>

#include "session/bootstrap/together.hpp"
#include "session/node/signal_masked_thread.hpp"
#include "sync/system.hpp"
#include "tests/sim/job/society.hpp"

namespace oriel::sessions {

class liveness::watching {
 public:
  watching(int me, fates& known)
      : me_(me), known_(known), thread_(start_quietly([this] { run(); })) {}
  ~watching() {
    sim::society::of_run().leave(me_);
    {
      const std::lock_guard hold(mutex_);
      ends_ = true;
    }
    thread_.join();
  }
  watching(const watching&) = delete;
  watching& operator=(const watching&) = delete;

  void report(int r, fate f) {
    const std::lock_guard hold(mutex_);
    reports_.emplace_back(r, f);
  }

 private:
  void run() noexcept {
    constexpr std::chrono::milliseconds pause{3};
    for (;;) {
      std::deque<std::pair<int, fate>> reports;
      {
        const std::lock_guard hold(mutex_);
        if (ends_) return;
        reports.swap(reports_);
      }
      for (const auto& [r, f] : reports) known_.note(r, f == fate::left ? fate::leaving : f);
      sim::society::of_run().each_gone([this](int r) {
        if (r == me_ || is_gone(known_.of(r))) return;
        const fate found = sim::society::of_run().found(me_, r);
        // Who has heard that it closes its session takes it for one that has left, though it has
        // died before it had.
        const bool said = known_.of(r) == fate::leaving;
        known_.note(r, said && found == fate::ended ? fate::left : found);
      });
      known_.note_failed_rails(sim::society::of_run().failed_rails(me_));
      sync::sleep_for(pause);
    }
  }

  int me_;
  fates& known_;
  sync::mutex mutex_;
  std::deque<std::pair<int, fate>> reports_;
  bool ends_ = false;
  sync::thread thread_;
};

liveness::settings liveness::settings_for(const job_description& job) noexcept {
  settings s;
  s.silence = silence_of(job);
  return s;
}

liveness::liveness(bootstrap& launcher, node_memory&, const settings& how)
    : settings_(how), known_(launcher.size()) {
  together(launcher, "", [&] {
    watching_ = std::make_unique<watching>(launcher.rank(), known_);
    return std::string();
  });
}

liveness::~liveness() = default;

void liveness::report(int r, fate f) noexcept {
  if (watching_ != nullptr && known_.of(r) == fate::here) watching_->report(r, f);
}

void liveness::report_rail(int rail) noexcept {
  sim::society::of_run().rail_fails(rail);
}

std::size_t liveness::links() const noexcept {
  return 0;
}

void liveness::leave() noexcept {
  watching_.reset();
}

}  // namespace oriel::sessions
