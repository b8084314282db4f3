// ORIEL_CHECK: what this process may rely on of what other ranks have done: a vector clock (Mattern
// 1989), which synchronization carries from rank to rank.
//
// Times are those of the machine's monotonic clock, so that ranks of a node, whose accesses alone
// are compared, have them in common: where it is unknown what a synchronization has carried, all
// that was complete by then is taken for known, and no order is missed. Lives as
// `session_state::extension<vector_clock>()`. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "session/session_state.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

class vector_clock {
 public:
  using shared_time = std::atomic<std::uint64_t>;
  // Times of every rank are kept and carried in jobs of up to so many ranks; in wider ones every
  // synchronization orders everything.
  static constexpr int widest = 256;
  static std::size_t width_for(int ranks) noexcept {
    return ranks <= widest ? static_cast<std::size_t>(ranks) : 0;
  }

  explicit vector_clock(detail::session_state&);

  // How often this process has told: what it completes in one period comes before the same things.
  [[nodiscard]] std::uint32_t period() const noexcept {
    return period_.load(std::memory_order_relaxed);
  }
  // Returns a time later than all that this process has got.
  std::uint64_t now() noexcept;
  // Returns whether what world rank `r` had completed at `time` comes before what this process does
  // next.
  [[nodiscard]] bool follows(int r, std::uint64_t time) noexcept;
  // What this process has done and knows of comes before what those do that learn from `place`,
  // width() words of memory that the ranks share, or none.
  void tell(std::span<shared_time> place) noexcept;
  void learn(std::span<shared_time> place) noexcept;
  // Everything that is complete anywhere by now comes before what this process does next.
  void learn_everything() noexcept;

  // Calls `f` after each change of what comes before what. From now on; one for each clock.
  void after_changes(void (*f)()) noexcept { after_changes_.store(f); }

  [[nodiscard]] std::size_t width() const noexcept { return known_.size(); }
  // The same, for messages: what tell() tells, width() words.
  [[nodiscard]] std::vector<std::uint64_t> told();
  void learn(std::span<const std::uint64_t> told) noexcept;

 private:
  std::uint64_t next() noexcept;
  // A change, which holds the mutex as long as it lives.
  class change {
   public:
    explicit change(vector_clock& of) : of_(of) { of_.mutex_.lock(); }
    ~change() {
      of_.mutex_.unlock();
      if (auto* const f = of_.after_changes_.load(std::memory_order_relaxed)) f();
    }
    change(const change&) = delete;
    change& operator=(const change&) = delete;

   private:
    vector_clock& of_;
  };

  sync::mutex mutex_;
  const int me_;
  std::atomic<std::uint32_t> period_{0};
  std::atomic<void (*)()> after_changes_{nullptr};
  std::uint64_t last_ = 0;
  std::uint64_t everything_ = 0;      // all that was complete by then
  std::vector<std::uint64_t> known_;  // by world rank
};

// After a collective of the team that has returned `met`: what each rank could rely on before it,
// all can after it. Collective where it is success. Returns `met`, or what went wrong here. Does
// nothing where nobody checks.
errc pass_order(detail::team_state&, errc met) noexcept;

}  // namespace oriel::sessions
