// Waiting in shared memory: spin briefly, then yield, then sleep on a futex, and notice when the
// one waited for has died. Every wait of oriel goes through here.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "oriel/errc.hpp"
#include "sync/system.hpp"
#include "sync/wait_note.hpp"

namespace oriel::sync {

// Lives in shared memory; zero is its first state.
struct wait_word {
  std::atomic<std::uint32_t> value;
  std::atomic<std::uint32_t> sleepers;  // processes that need a wake
};

namespace wait_ladder {

// How long each rung lasts. A cross-core round trip is about 150 ns and a pause about 20–40 ns, so
// the first rung covers a partner that is about to answer; a yield lets a partner on this core run.
inline constexpr int spins = 2000;
inline constexpr int spins_oversubscribed = 20;
inline constexpr int yields = 60;
inline constexpr int yields_oversubscribed = 20;
inline constexpr std::chrono::milliseconds shortest_sleep{5};
inline constexpr std::chrono::milliseconds longest_sleep{50};
// With requests of others to serve: how often, while spinning; those of other nodes while asleep.
inline constexpr int spins_between_progress = 16;
// The embedding program's work: a partner that is about to answer is not kept waiting for it, since
// one look of MPI's costs as much as several cross-core round trips.
inline constexpr int spins_before_work = 256;
inline constexpr int spins_between_work = 64;
inline constexpr std::chrono::microseconds sleep_between_progress{200};
// Where an agent serves other nodes, but stands aside while threads of the program do: how long a
// thread that falls asleep goes on, until the agent has noticed (transport/service_thread.hpp).
inline constexpr std::chrono::milliseconds served_asleep{3};
// Who gives up since a peer has gone looks so often for what that has sent before.
inline constexpr int last_looks = 50;
// With the work of an embedding program, whose large messages take many looks each.
inline constexpr std::chrono::microseconds sleep_between_work{20};

using sync::yield;

}  // namespace wait_ladder

// The peers of a waiter: when one has failed, it gives up.
class peer_watch {
 public:
  virtual ~peer_watch() = default;
  // Whether one of those the waiter needs has died or left. May cost a system call a peer.
  [[nodiscard]] virtual bool any_failed() const noexcept = 0;
  // More ranks than cores on this node: spinning takes the core from the rank that is waited for.
  [[nodiscard]] virtual bool oversubscribed() const noexcept = 0;
  // The same of ranks and their agents together, for waits that an agent ends.
  [[nodiscard]] virtual bool oversubscribed_with_agents() const noexcept {
    return oversubscribed();
  }
  // How often to look before this thread yields its core; told whether that was enough.
  [[nodiscard]] virtual int looks() const noexcept {
    return oversubscribed() ? wait_ladder::spins_oversubscribed : wait_ladder::spins;
  }
  virtual void note_looks(bool) const noexcept {}
  // How often to yield it before this thread sleeps.
  [[nodiscard]] virtual int yields() const noexcept {
    return oversubscribed() ? wait_ladder::yields_oversubscribed : wait_ladder::yields;
  }
  // How long to wait for ranks that are alive; nothing for any time.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> patience() const noexcept {
    return std::nullopt;
  }
  // Other nodes' requests to this process are served only while it waits.
  [[nodiscard]] virtual bool needs_progress() const noexcept { return false; }
  // Other ranks may have requests to this process: a thread that is awake as it waits serves them,
  // sooner than an agent, which leaves them to such threads.
  [[nodiscard]] virtual bool serves() const noexcept { return needs_progress(); }
  virtual void progress() const noexcept {}
  // Other nodes may have requests to this process, whether it has an agent or not; or it has
  // something of its own to do soon.
  [[nodiscard]] virtual bool serves_nodes() const noexcept { return needs_progress(); }
  // Progress by a thread that sleeps in between: an agent does not stand aside for it.
  virtual void progress_asleep() const noexcept { progress(); }
};

// Waits as another watch does, but for what is overridden.
class like_watch : public peer_watch {
 public:
  explicit like_watch(const peer_watch& like) noexcept : like_(&like) {}
  [[nodiscard]] bool any_failed() const noexcept override { return like_->any_failed(); }
  [[nodiscard]] bool oversubscribed() const noexcept override { return like_->oversubscribed(); }
  [[nodiscard]] bool oversubscribed_with_agents() const noexcept override {
    return like_->oversubscribed_with_agents();
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return like_->patience();
  }
  [[nodiscard]] bool needs_progress() const noexcept override { return like_->needs_progress(); }
  [[nodiscard]] bool serves() const noexcept override { return like_->serves(); }
  void progress() const noexcept override { like_->progress(); }
  [[nodiscard]] bool serves_nodes() const noexcept override { return like_->serves_nodes(); }
  void progress_asleep() const noexcept override { like_->progress_asleep(); }

 private:
  const peer_watch* like_;
};

// What this thread runs besides while it waits: an embedding program's own progress, which the rank
// that is waited for may need first (a message of MPI that this rank has begun to send, say). Null
// where there is none. Set for as long as the program's thread is in a call of oriel, since only
// then may oriel call the program back, and only on that thread.
using waiting_work = void (*)() noexcept;
// Every lock of a program sets it, so it is reached without a call: 8 bytes of the static room that
// libraries loaded late have too.
extern thread_local constinit waiting_work work_of_this_thread [[gnu::tls_model("initial-exec")]];
inline waiting_work while_waiting() noexcept {
  return work_of_this_thread;
}

// For as long as it lives.
class working_while_waiting {
 public:
  explicit working_while_waiting(waiting_work work) noexcept : before_(while_waiting()) {
    work_of_this_thread = work;
  }
  ~working_while_waiting() { work_of_this_thread = before_; }
  working_while_waiting(const working_while_waiting&) = delete;
  working_while_waiting& operator=(const working_while_waiting&) = delete;

 private:
  waiting_work before_;
};

// After a seq_cst update of `word.value`: wakes the threads that sleep on it. One load where none
// does.
inline void wake_all(wait_word& word) noexcept {
  if (word.sleepers.load(std::memory_order_seq_cst) != 0) [[unlikely]]
    futex_wake_all(word.value);
}

// The times at which a long wait looks whether its peers are alive: soon at first, rarely later.
class patience_clock {
 public:
  explicit patience_clock(const peer_watch& peers) noexcept
      : peers_(&peers), began_(clock::now()), next_(began_ + pause_) {}
  [[nodiscard]] std::chrono::nanoseconds pause() const noexcept { return pause_; }
  [[nodiscard]] bool due() const noexcept { return clock::now() >= next_; }
  // peer_failed or timed_out when it is time to give up; with `at_peers` false, only the latter.
  errc look(bool at_peers = true) noexcept;

 private:
  const peer_watch* peers_;
  clock::time_point began_;
  std::chrono::milliseconds pause_ = wait_ladder::shortest_sleep;
  clock::time_point next_;
};

// The rungs after the first look; kept out of line so that a wait that need not wait stays small.
template <class Done>
[[gnu::noinline]] errc wait_slowly(wait_word& word, const peer_watch& peers, Done& done) noexcept {
  using namespace wait_ladder;
  const waiting_work work = while_waiting();
  const bool serves = peers.serves();
  noticed_wait waited;
  for (int i = 1, looks = peers.looks(); i <= looks; ++i) {
    cpu_relax();
    if (i == noticed_wait::unnoticed_looks) waited.begin();
    if (serves && i % spins_between_progress == 0) peers.progress();
    if (work != nullptr && i >= spins_before_work && i % spins_between_work == 0) work();
    if (!done(word.value.load(std::memory_order_acquire))) continue;
    peers.note_looks(true);
    return errc::success;
  }
  peers.note_looks(false);
  waited.begin();
  for (int i = peers.yields(); i > 0; --i) {
    yield();
    if (done(word.value.load(std::memory_order_acquire))) return errc::success;
    if (serves) peers.progress();
    if (work != nullptr) work();
  }
  errc result = errc::success;
  patience_clock watch_again(peers);
  bool serves_asleep = peers.serves_nodes();
  const auto served_until = clock::now() + served_asleep;
  word.sleepers.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    // Read before done() is called: an update after this read makes the futex return at once.
    const std::uint32_t now = word.value.load(std::memory_order_seq_cst);
    if (done(now)) break;
    waited.asleep();
    futex_wait(word.value, now,
               work != nullptr ? sleep_between_work
               : serves_asleep ? sleep_between_progress
                               : watch_again.pause());
    if (serves_asleep) peers.progress_asleep();
    if (work != nullptr) work();
    const std::uint32_t then = word.value.load(std::memory_order_acquire);
    if (done(then)) break;
    serves_asleep = serves_asleep && (peers.needs_progress() || clock::now() < served_until);
    if (then != now || !watch_again.due()) continue;
    if (const errc e = watch_again.look(); e != errc::success) {
      // It may have updated the word and died after that, or sent what this process has yet to
      // take.
      const auto is_done = [&] { return done(word.value.load(std::memory_order_acquire)); };
      for (int i = 0; serves && i < last_looks && !is_done(); ++i) peers.progress();
      if (!is_done()) result = e;
      break;
    }
  }
  word.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return result;
}

// Blocks until `done(word.value)` is true. Returns peer_failed when a watched peer has gone before,
// timed_out after the peers' time-out. `done` may read other memory too, where that is written
// before `word.value` is updated.
template <class Done>
inline errc wait_for(wait_word& word, const peer_watch& peers, Done done) noexcept {
  if (done(word.value.load(std::memory_order_acquire))) [[likely]]
    return errc::success;
  return wait_slowly(word, peers, done);
}

}  // namespace oriel::sync
