// ORIEL_CHECK: what the threads of a process know, each for itself. What orders them (a lock, a
// barrier, an atomic object) is a key, any address: who acquires it knows what those did that have
// released it before. Keys may be taken for each other, so that more is known, never less.
//
// Threads that have not begun here are not told apart: they know what any thread knows, and what
// they do and learn is known to all. Under the mutex of the clock that has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "session/team/known_times.hpp"

namespace oriel::sessions {

class thread_clocks;
// Of one thread; it has a number with one clock at a time.
struct thread_place {
  const thread_clocks* of = nullptr;
  std::int16_t number = every_thread;
};

class thread_clocks {
 public:
  // The calling thread is the first, and knows `all`. Throws std::bad_alloc.
  explicit thread_clocks(const known_times& all);
  thread_clocks(const thread_clocks&) = delete;
  thread_clocks& operator=(const thread_clocks&) = delete;

  // The calling thread has begun. It has a number that none has had before; beyond most_threads one
  // of a thread that is over, and knows what that one knew. Has no effect beyond most_threads at
  // once, and where it has begun already. Throws std::bad_alloc.
  void begin();
  // It is over.
  void end() noexcept;

  // The calling thread's number, or every_thread; and its times, or null.
  [[nodiscard]] std::int16_t number() const noexcept {
    return here_.of == this ? here_.number : every_thread;
  }
  [[nodiscard]] known_times* mine() noexcept {
    const std::int16_t n = number();
    return n == every_thread ? nullptr : &slots_[static_cast<std::size_t>(n)]->times;
  }
  // Changes what the calling thread knows; all threads, where it is not told apart.
  template <class Change>
  void learn(Change change) noexcept {
    if (known_times* const one = mine()) return change(*one);
    change(common_);
    for (const auto& s : slots_)
      if (s) change(s->times);
  }

  // Throw std::bad_alloc.
  void release(const void* key);
  void acquire(const void* key) noexcept;

 private:
  struct slot {
    known_times times;
    bool taken = true;
  };
  static constexpr std::size_t most_keys = 1024;
  static std::size_t index_of(const void* key) noexcept;

  static inline thread_local thread_place here_;
  known_times common_;  // to threads that will begin
  std::array<std::unique_ptr<slot>, most_threads> slots_;
  std::size_t next_ = 0;  // the number to try first: that of who has been over longest, mostly
  std::array<std::unique_ptr<known_times>, most_keys> keys_;
};

}  // namespace oriel::sessions
