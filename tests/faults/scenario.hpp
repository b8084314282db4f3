// What the programs of the fault tests share: one rank's view of a job in which something breaks.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "oriel/oriel.hpp"
#include "session/session_state.hpp"

namespace oriel::testing {

using steady = std::chrono::steady_clock;

inline void pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// What a call that should fail has come to.
struct outcome {
  errc code = errc::success;
  std::string text;
  double seconds = 0;
};

// `call` gives a status, or throws.
template <class Call>
outcome timed(Call call) {
  const auto start = steady::now();
  outcome o;
  try {
    o.code = call().code();
  } catch (const error& e) {
    o.code = e.code();
    o.text = e.what();
  }
  o.seconds = std::chrono::duration<double>(steady::now() - start).count();
  return o;
}

// What every such program's main does: ends in bounded time, and prints what stopped it.
template <class Run>
int play(Run run) {
  alarm(50);
  try {
    return run();
  } catch (const std::exception& e) {
    std::printf("stopped by %s\n", e.what());
    return 3;
  }
}

// One line per rank and claim, which the driver of the test looks for.
inline void say(int rank, const std::string& what) {
  std::printf("rank %d: %s\n", rank, what.c_str());
  std::fflush(stdout);
}

inline std::string described(const outcome& o) {
  return std::string(name(o.code)) + " after " + std::to_string(o.seconds) + " s: " + o.text;
}

// The end of the process, as by a crash: nothing is said to anybody.
[[noreturn]] inline void die() {
  raise(SIGKILL);
  _exit(99);
}

// Blocks of node memory go with the last rank that lets go of them.
inline bool memory_returns_to(session& s, std::size_t used) {
  const auto until = steady::now() + std::chrono::seconds(3);
  while (s.state()->memory().used() != used && steady::now() < until) pause(0.01);
  return s.state()->memory().used() == used;
}

constexpr assertion_set everything = assertion::fence | assertion::pscw | assertion::shared_lock |
                                     assertion::exclusive_lock | assertion::multi_element;

// Life after: those that are left, of whom there are `expected`, agree and make a window.
inline bool goes_on(const team& whole, int expected, partition p = partition::larger_part) {
  const team left = whole.shrink(p);
  if (left.size() != expected) return false;
  auto w = window<int>::allocate(left, 1000, everything);
  w.fence().or_throw();
  static_cast<void>(w.put(left.next(), disp{1}, left.me().value + 100));
  w.fence().or_throw();
  int got = 0;
  {
    auto epoch = w.lock_exclusive(left.me());
    epoch.opened().or_throw();
    got = w.get(left.me(), disp{1});
  }
  left.barrier().or_throw();
  w.free().or_throw();
  return got == left.previous().value + 100;
}

}  // namespace oriel::testing
