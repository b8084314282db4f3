// A protocol of sync/, or a session, under simulation: random programs of its calls, what must hold
// while they run and when they have ended, and how a program reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/wait.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

// One thing that happens in a program; what its numbers mean is the protocol's. Any of them may be
// left out, and a program remains.
struct act {
  int rank = 0;
  int what = 0;
  int other = 0;
  int n = 0;
};

struct program {
  int ranks = 2;
  int variant = 0;               // what is the same for all of its acts
  std::vector<int> nodes{};      // by rank, where whole nodes may fail
  std::vector<int> processes{};  // likewise, where they are not 0, 1, 2, ...
  std::vector<act> acts;
};

class randomness {
 public:
  explicit randomness(std::uint64_t seed) : engine_(seed) {}
  // From 0 up to `n` - 1.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  std::uint64_t number() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// A program that is about to run, or has: its memory, and what is known of it from outside.
class scene {
 public:
  virtual ~scene() = default;
  // After a run that ended. Returns what is wrong; nothing where all is well.
  [[nodiscard]] virtual std::string wrong() { return ""; }
};

class protocol {
 public:
  virtual ~protocol() = default;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  [[nodiscard]] virtual program draw(randomness& random, int most_ranks) const = 0;
  [[nodiscard]] virtual std::string in_words(const program& p, const act& a) const = 0;
  // Whether its runs leave behind what the program cannot clear away, or may end it: each is made
  // in a child.
  [[nodiscard]] virtual bool is_apart() const noexcept { return false; }
  // What all schedules of it are like.
  virtual void adjust(schedule&) const noexcept {}
  // Faults fall on a rank within its first 2^n steps, where n is any number from the first of these
  // to the second.
  [[nodiscard]] virtual int log_of_first_steps() const noexcept { return 2; }
  [[nodiscard]] virtual int log_of_steps() const noexcept { return 10; }
  // Shares memory and starts the threads.
  [[nodiscard]] virtual std::unique_ptr<scene> begin(scheduler& run, const program& p) const = 0;
};

// Zeroed memory that the run's processes share.
class shared_room {
 public:
  shared_room(scheduler& run, std::size_t bytes, const char* name)
      : at_(static_cast<std::byte*>(::operator new(bytes, alignment))) {
    std::memset(at_, 0, bytes);
    run.share(at_, bytes, name);
  }
  ~shared_room() { ::operator delete(at_, alignment); }
  shared_room(const shared_room&) = delete;
  shared_room& operator=(const shared_room&) = delete;
  [[nodiscard]] std::byte* get() const noexcept { return at_; }

 private:
  static constexpr std::align_val_t alignment{128};
  std::byte* at_;
};

// One object of shared memory.
template <class T>
class shared_object {
 public:
  shared_object(scheduler& run, const char* name) : room_(run, sizeof(T), name) {}
  T& operator*() const noexcept { return *reinterpret_cast<T*>(room_.get()); }
  T* operator->() const noexcept { return reinterpret_cast<T*>(room_.get()); }

 private:
  shared_room room_;
};

// Sees the deaths of processes [0, ranks); looks and yields seldom, since steps are dear.
class simulated_watch : public sync::peer_watch {
 public:
  simulated_watch(int me, int ranks) noexcept : me_(me), ranks_(ranks) {}
  [[nodiscard]] bool any_failed() const noexcept override {
    scheduler& run = *scheduler::active();
    run.step("looks who is alive");
    for (int r = 0; r < ranks_; ++r)
      if (r != me_ && !run.alive(r)) return true;
    return false;
  }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] int looks() const noexcept override { return few(); }
  [[nodiscard]] int yields() const noexcept override { return few(); }

 protected:
  int me_;
  int ranks_;

 private:
  static int few() noexcept { return static_cast<int>(scheduler::active()->draw(3)); }
};

// The program computes for a while, or does not.
inline void dawdle() {
  scheduler& run = *scheduler::active();
  if (run.chance(4)) sync::sleep_for(std::chrono::milliseconds(5 * (1 + run.draw(4))));
}

// Ends the run where it is not so.
inline void must(bool so, const char* why) {
  if (!so) scheduler::active()->fail(why);
}
inline void must(bool so, const std::string& why) {
  must(so, why.c_str());
}

inline bool any_dead(int ranks) noexcept {
  for (int r = 0; r < ranks; ++r)
    if (!scheduler::active()->alive(r)) return true;
  return false;
}

// Whether one of the program's ranks has died.
inline bool any_dead(const program& p) noexcept {
  if (p.processes.empty()) return any_dead(p.ranks);
  return std::any_of(p.processes.begin(), p.processes.end(),
                     [](int of) { return !scheduler::active()->alive(of); });
}

// A call has returned `e`. Returns whether it succeeded; peer_failed is right where one has died,
// and every other code is wrong.
inline bool succeeded(errc e, int ranks, const char* call) {
  if (e == errc::success) return true;
  must(e == errc::peer_failed && any_dead(ranks),
       std::string(call) + " of rank " + std::to_string(scheduler::active()->process()) +
           " returned code " + std::to_string(static_cast<int>(e)));
  return false;
}

}  // namespace oriel::sim
