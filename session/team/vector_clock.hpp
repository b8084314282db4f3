// ORIEL_CHECK: what this process may rely on of what other ranks have done: a vector clock (Mattern
// 1989), which synchronization carries from rank to rank.
//
// What a rank does has its times by the monotonic clock of its node, which the ranks of the node
// have in common: where it is unknown what a synchronization has carried, all that was complete by
// then is taken for known, and no order is missed. Of other nodes that is all by a time of theirs
// that is later (far_clocks.hpp). Lives as `session_state::extension<vector_clock>()`. Any thread.
//
// The threads of this process count as one, in the order in which they come, until they are told
// apart: then each has its own times (thread_clocks.hpp), and what calls it. To other ranks a
// process is still one: a thread tells them of all that was complete in it by the last time that
// the thread knows of.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "session/session_state.hpp"
#include "session/team/far_clocks.hpp"
#include "session/team/thread_clocks.hpp"
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

  // Something that the calling thread begins. In one period it has not told or released: what it
  // completes then comes before the same things.
  struct start {
    moment at;
    std::uint32_t period = 0;
  };
  start begin() noexcept;
  // The calling thread has completed something: returns a time later than all that this process has
  // got.
  moment now() noexcept;
  // Returns whether what world rank `r` had completed at `done` comes before what the calling
  // thread does next.
  [[nodiscard]] bool follows(int r, moment done) noexcept;
  // The calling thread has completed again what another had completed at `done`: where it knows of
  // its beginning, it may rely on that.
  void learn_completion(moment begun, moment done) noexcept;
  // What this process has done and knows of comes before what those do that learn from `place`,
  // width() words of memory that the ranks share, or none.
  void tell(std::span<shared_time> place) noexcept;
  void learn(std::span<shared_time> place) noexcept;
  // Everything that is complete anywhere by now, or was by an earlier time, comes before what this
  // process does next.
  void learn_everything() noexcept;
  void learn_everything_until(std::uint64_t time) noexcept;
  // The present time.
  [[nodiscard]] std::uint64_t time() noexcept;
  // Node `n` of the job gave its own time `theirs` after it was `asked`, by time() here.
  void heard_time(int n, std::uint64_t asked, std::uint64_t theirs) noexcept;

  // Calls `f` after each change of what of other ranks comes before what. From now on; one for each
  // clock.
  void after_changes(void (*f)()) noexcept { after_changes_.store(f); }

  // Tells the threads of this process apart from now on; the calling one is the first, and others
  // begin and end. Throws std::bad_alloc.
  void tell_threads_apart();
  void begin_thread() noexcept;
  void end_thread() noexcept;
  // Who acquires a key comes after those that have released it.
  void release(const void* key) noexcept;
  void acquire(const void* key) noexcept;
  // By what the threads are ordered is not known: they count as one again.
  void take_threads_together() noexcept { apart_.store(false, std::memory_order_relaxed); }

  [[nodiscard]] std::size_t width() const noexcept { return known_.ranks.size(); }
  // The same, for messages: what tell() tells, width() words.
  [[nodiscard]] std::vector<std::uint64_t> told();
  void learn(std::span<const std::uint64_t> told) noexcept;

  // What follows() goes by, for others to compare: of each rank the time up to which all that it
  // has completed comes before what the calling thread does next, and behind them the same of each
  // thread of this process. width() + most_threads words.
  void show(std::span<std::uint64_t> known) noexcept;
  // What told() tells of this process itself; of others it is what show() shows.
  [[nodiscard]] std::uint64_t told_of_itself() noexcept;

 private:
  std::uint64_t next() noexcept;
  [[nodiscard]] bool apart() const noexcept { return apart_.load(std::memory_order_relaxed); }
  // The calling thread's times; those of all, where it is not told apart.
  [[nodiscard]] known_times& mine() noexcept;
  template <class Change>
  void learn_by(Change) noexcept;
  // Up to which of its times it is known what rank `r`, another one, has completed.
  [[nodiscard]] std::uint64_t heard_of(const known_times&, std::size_t r) const noexcept;
  // What the calling thread tells of rank `r`.
  [[nodiscard]] std::uint64_t told_of(std::size_t r) noexcept;
  // A handler of a signal that comes while its thread has the mutex may call what orders threads:
  // that must not wait for it.
  void take() noexcept {
    inside_ = true;
    mutex_.lock();
  }
  void give() noexcept {
    mutex_.unlock();
    inside_ = false;
  }
  // Whether threads are told apart, for such calls: from one amid others on they are not.
  [[nodiscard]] bool may_order() noexcept;
  // The mutex as long as it lives.
  class hold {
   public:
    explicit hold(vector_clock& of) noexcept : of_(of) { of_.take(); }
    ~hold() { of_.give(); }
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;

   private:
    vector_clock& of_;
  };
  // The same, for a change.
  class change {
   public:
    explicit change(vector_clock& of) noexcept : of_(of) { of_.take(); }
    ~change() {
      of_.give();
      if (auto* const f = of_.after_changes_.load(std::memory_order_relaxed)) f();
    }
    change(const change&) = delete;
    change& operator=(const change&) = delete;

   private:
    vector_clock& of_;
  };

  static inline thread_local bool inside_ = false;
  sync::mutex mutex_;
  const job& job_;
  const int me_;
  far_clocks far_;
  std::atomic<std::uint32_t> period_{0};
  std::atomic<void (*)()> after_changes_{nullptr};
  std::uint64_t last_ = 0;
  known_times known_;  // to any thread
  std::atomic<bool> apart_{false};
  std::unique_ptr<thread_clocks> threads_;
};

// What this process knows of the clocks of other nodes, from then on. Collective; does nothing
// where nobody checks, or all are on one node.
void compare_clocks(detail::team_state& world) noexcept;

// After a collective of the team that has returned `met`: what each rank could rely on before it,
// all can after it. Collective where it is success. Returns `met`, or what went wrong here. Does
// nothing where nobody checks.
errc pass_order(detail::team_state&, errc met) noexcept;

}  // namespace oriel::sessions
