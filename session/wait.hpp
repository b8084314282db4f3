// Waiting in shared memory: spin briefly, then yield, then sleep on a futex, and notice when the
// one waited for has died. Every wait of oriel goes through here.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "oriel/errc.hpp"

namespace oriel::boot {

// Lives in shared memory; zero is its first state.
struct wait_word {
  std::atomic<std::uint32_t> value;
  std::atomic<std::uint32_t> sleepers;  // processes that need a wake
};

// Whom a waiter gives up on.
class peer_watch {
 public:
  virtual ~peer_watch() = default;
  // Whether one of those the waiter needs has died or left. May cost a system call a peer.
  [[nodiscard]] virtual bool any_failed() const noexcept = 0;
  // More ranks than cores on this node: spinning takes the core from the one waited for.
  [[nodiscard]] virtual bool oversubscribed() const noexcept = 0;
};

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// The word lies in memory shared with other processes, so the futex is not a private one.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds at_most) noexcept;
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

// After a seq_cst update of `word.value`: wakes those who sleep on it. One load when nobody does.
inline void wake_all(wait_word& word) noexcept {
  if (word.sleepers.load(std::memory_order_seq_cst) != 0) [[unlikely]]
    futex_wake_all(word.value);
}

namespace wait_ladder {

// How long each rung lasts. A cross-core round trip is about 150 ns and a pause about 20–40 ns, so
// the first rung covers a partner that is about to answer; a yield lets a partner on this core run.
inline constexpr int spins = 2000;
inline constexpr int spins_oversubscribed = 20;
inline constexpr int yields = 60;
inline constexpr int yields_oversubscribed = 200;
inline constexpr std::chrono::milliseconds shortest_sleep{5};
inline constexpr std::chrono::milliseconds longest_sleep{50};

// One yield of the processor.
void yield() noexcept;

}  // namespace wait_ladder

// The rungs after the first look; kept out of line so that a wait that need not wait stays small.
template <class Done>
[[gnu::noinline]] errc wait_slowly(wait_word& word, const peer_watch& peers, Done& done) noexcept {
  using namespace wait_ladder;
  const bool crowded = peers.oversubscribed();
  for (int i = crowded ? spins_oversubscribed : spins; i > 0; --i) {
    cpu_relax();
    if (done(word.value.load(std::memory_order_acquire))) return errc::success;
  }
  for (int i = crowded ? yields_oversubscribed : yields; i > 0; --i) {
    yield();
    if (done(word.value.load(std::memory_order_acquire))) return errc::success;
  }
  errc result = errc::success;
  auto sleep = shortest_sleep;
  word.sleepers.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    // Read before done() is asked: an update after this read makes the futex return at once.
    const std::uint32_t now = word.value.load(std::memory_order_seq_cst);
    if (done(now)) break;
    futex_wait(word.value, now, sleep);
    const std::uint32_t then = word.value.load(std::memory_order_acquire);
    if (done(then)) break;
    if (then != now) continue;
    if (peers.any_failed()) {
      // It may have updated the word and died after that.
      if (!done(word.value.load(std::memory_order_acquire))) result = errc::peer_failed;
      break;
    }
    sleep = sleep * 2 < longest_sleep ? sleep * 2 : longest_sleep;
  }
  word.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return result;
}

// Returns success once `done(word.value)` is true, peer_failed when a watched peer has gone first.
// `done` may read other memory too, if that is written before `word.value` is updated.
template <class Done>
inline errc wait_for(wait_word& word, const peer_watch& peers, Done done) noexcept {
  if (done(word.value.load(std::memory_order_acquire))) [[likely]]
    return errc::success;
  return wait_slowly(word, peers, done);
}

}  // namespace oriel::boot
