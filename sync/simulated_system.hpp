// The other half of sync/system.hpp and of sync/process_own.hpp, for sources that are compiled with
// ORIEL_SIMULATED: clock, locks, threads and processes that a simulation owns
// (tests/sim/system.cpp). No library has this in it.
//
// Each acts as its namesake of the standard library does, in as far as oriel uses that.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace oriel::sync {

// Of the simulation's time, which goes on as steps are made, and leaps when all wait.
struct clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

void sleep_for(std::chrono::nanoseconds time);
void cpu_relax() noexcept;

class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  void lock();
  bool try_lock() noexcept;
  void unlock() noexcept;
  void lock_shared();
  bool try_lock_shared() noexcept;
  void unlock_shared() noexcept;

 private:
  bool held_ = false;
  int sharers_ = 0;
};

class mutex {
 public:
  constexpr mutex() noexcept = default;
  void lock() { one_.lock(); }
  bool try_lock() noexcept { return one_.try_lock(); }
  void unlock() noexcept { one_.unlock(); }

 private:
  shared_mutex one_;
};

class condition_variable {
 public:
  template <class Lock, class Condition>
  void wait(Lock& hold, Condition condition) {
    while (!condition()) {
      const std::uint64_t seen = notified_;
      hold.unlock();
      sleep(seen);
      hold.lock();
    }
  }
  void notify_one() noexcept { notify_all(); }
  void notify_all() noexcept;

 private:
  void sleep(std::uint64_t seen) noexcept;
  std::uint64_t notified_ = 0;
};

class thread {
 public:
  using id = int;

  thread() noexcept = default;
  template <class Run>
  explicit thread(Run run) : number_(start(std::move(run))) {}
  thread(thread&& other) noexcept : number_(std::exchange(other.number_, none)) {}
  thread& operator=(thread&& other) noexcept {
    number_ = std::exchange(other.number_, none);
    return *this;
  }
  [[nodiscard]] bool joinable() const noexcept { return number_ != none; }
  void join();
  [[nodiscard]] id get_id() const noexcept { return number_; }

 private:
  static constexpr id none{};
  static id start(std::function<void()> run);
  id number_ = none;
};

thread::id id_of_this_thread() noexcept;

// What the pretended process of the calling thread has of `variable`: of `make`, at first.
void* own_of_process(const void* variable, std::shared_ptr<void> (*make)());

template <class T>
class process_own {
 public:
  constexpr process_own() noexcept = default;
  process_own(const process_own&) = delete;
  process_own& operator=(const process_own&) = delete;
  [[nodiscard]] T& operator*() noexcept {
    constexpr auto make = [] { return std::shared_ptr<void>(std::make_shared<T>()); };
    return *static_cast<T*>(own_of_process(this, make));
  }
  [[nodiscard]] T* operator->() noexcept { return &**this; }

 private:
  char place_ = 0;  // no two have one address
};

}  // namespace oriel::sync
