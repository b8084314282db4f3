// What oriel takes of the operating system to measure time, to wait and to have threads: one seam,
// through which all of sync/, session/node/, session/team/, transport/ and win/ go, so that a
// simulation can put its own in the place of all of it (sync/simulated_system.hpp). It costs
// nothing: these are names of the system's own, and calls of it.
//
// Not here: waits on descriptors (poll), which belong to whoever owns the sockets, and the clocks
// that a trace is stamped with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#ifdef ORIEL_SIMULATED
#include "sync/simulated_system.hpp"
#else
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace oriel::sync {

using clock = std::chrono::steady_clock;
using thread = std::thread;
using mutex = std::mutex;
using shared_mutex = std::shared_mutex;
using condition_variable = std::condition_variable;

inline thread::id id_of_this_thread() noexcept {
  return std::this_thread::get_id();
}

// Blocks for `time`, or a little longer.
inline void sleep_for(std::chrono::nanoseconds time) {
  std::this_thread::sleep_for(time);
}

// What a thread does between two looks at a word.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace oriel::sync
#endif

namespace oriel::sync {

// One yield of the processor.
void yield() noexcept;

// Blocks until the word is woken, for `at_most`; returns at once where its value is not `expected`,
// and now and then for no reason. The word lies in memory shared with other processes, so the futex
// is not a private one.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds at_most) noexcept;
// Wakes all that sleep on the word, in whatever process.
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace oriel::sync
