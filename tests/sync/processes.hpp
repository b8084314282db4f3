// Helpers for tests that need several processes or threads at once: shared memory, forked children
// that are always reaped, a common start, and a peer_watch that the test controls.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "sync/wait.hpp"

namespace oriel::testing {

using steady = std::chrono::steady_clock;

// A zeroed T that children made afterwards share with this process. T must be fit for shared
// memory.
template <class T>
class shared {
 public:
  shared()
      : at_(static_cast<T*>(
            mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~shared() { munmap(at_, sizeof(T)); }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
  T& operator*() const noexcept { return *at_; }
  T* operator->() const noexcept { return at_; }
  T* get() const noexcept { return at_; }

 private:
  T* at_;
};

// Returns what the test sets; `failed` may lie in shared memory.
class told_watch final : public sync::peer_watch {
 public:
  explicit told_watch(const std::atomic<std::uint32_t>* failed = nullptr, bool crowded = true,
                      std::optional<std::chrono::milliseconds> patience = std::nullopt)
      : failed_(failed), crowded_(crowded), patience_(patience) {}
  bool any_failed() const noexcept override { return failed_ != nullptr && failed_->load() != 0; }
  bool oversubscribed() const noexcept override { return crowded_; }
  std::optional<std::chrono::milliseconds> patience() const noexcept override { return patience_; }

 private:
  const std::atomic<std::uint32_t>* failed_;
  bool crowded_;
  std::optional<std::chrono::milliseconds> patience_;
};

// Everybody waits here until `n` have come.
inline void meet(std::atomic<std::uint32_t>& gate, std::uint32_t n) {
  gate.fetch_add(1);
  while (gate.load() < n) std::this_thread::yield();
}

// Waits for a value with a limit, so that a broken implementation fails and does not hang.
template <class Done>
bool eventually(Done done, std::chrono::milliseconds limit = std::chrono::seconds(5)) {
  const auto end = steady::now() + limit;
  while (!done()) {
    if (steady::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

class child {
 public:
  // Runs `work` in a child process, which exits with what it returns.
  template <class Work>
  explicit child(Work work) : pid_(fork()) {
    if (pid_ != 0) return;
    alarm(60);  // a child that hangs ends even when its parent was killed
    _exit(work());
  }
  child(child&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  child& operator=(child&&) = delete;
  ~child() {
    if (pid_ > 0) kill();
  }
  // The exit code; -1 when it did not end in time or was killed.
  int join(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    int code = -1;
    const bool ended = eventually(
        [&] {
          int how = 0;
          if (waitpid(pid_, &how, WNOHANG) != pid_) return false;
          if (WIFEXITED(how)) code = WEXITSTATUS(how);
          return true;
        },
        limit);
    if (!ended) kill();
    pid_ = -1;
    return code;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // Returns when it stands still, or has ended.
  void stop() {
    ::kill(pid_, SIGSTOP);
    siginfo_t how{};
    waitid(P_PID, static_cast<id_t>(pid_), &how, WSTOPPED | WEXITED | WNOWAIT);
  }
  void go_on() { ::kill(pid_, SIGCONT); }
  [[nodiscard]] bool killed() const { return pid_ == -1; }

 private:
  pid_t pid_;
};

// Runs work(0) … work(n-1) in processes of their own; true when all returned 0.
template <class Work>
bool in_processes(int n, Work work) {
  std::vector<child> all;
  for (int i = 0; i < n; ++i) all.emplace_back([&work, i] { return work(i); });
  bool good = true;
  for (child& c : all) good &= c.join() == 0;
  return good;
}

// Runs work(0) … work(n-1) in threads that start together.
template <class Work>
void in_threads(int n, Work work) {
  std::atomic<std::uint32_t> gate{0};
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i)
    all.emplace_back([&, i] {
      meet(gate, static_cast<std::uint32_t>(n));
      work(i);
    });
  for (std::thread& t : all) t.join();
}

// Whether `wake` ends the sleep of a thread in `wait`, rather than that sleep's own end, 5 to 50 ms
// after it began: most of some seven sleepers go on within 3 ms. A busy machine may delay any
// seven, so there are several attempts. Both are given the number of the round, from 1 on.
template <class Wait, class Wake>
bool wakes_a_sleeper(Wait wait, Wake wake) {
  constexpr int attempts = 10, rounds = 7;
  std::uint64_t round = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    int at_once = 0;
    for (int i = 0; i < rounds; ++i) {
      ++round;
      std::atomic<steady::rep> awake{0};
      std::thread sleeper([&] {
        wait(round);
        awake = steady::now().time_since_epoch().count();
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      const auto woken = steady::now().time_since_epoch().count();
      wake(round);
      sleeper.join();
      at_once += steady::duration(awake.load() - woken) < std::chrono::milliseconds(3) ? 1 : 0;
    }
    if (2 * at_once > rounds) return true;
  }
  return false;
}

}  // namespace oriel::testing
