// A thread of the simulation: a stack and a context, and what it waits for.
#pragma once

#include <setjmp.h>
#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

#include "tests/sim/scheduler.hpp"
#include "tests/sim/thread_locals.hpp"

namespace oriel::sim {

// Stacks are used again: no run leaves frames that others need. Many of them are one mapping, of
// which a process may have some ten thousand.
class stacks {
 public:
  static constexpr std::size_t bytes = std::size_t{1024} * 1024;

  static void* take() {
    auto& free = all();
    if (free.empty()) {
      constexpr std::size_t many = 64;
      void* const fresh = mmap(nullptr, many * bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (fresh == MAP_FAILED) throw std::bad_alloc();
      for (std::size_t i = many; i-- > 0;) give_back(static_cast<std::byte*>(fresh) + i * bytes);
    }
    void* const stack = free.back();
    free.pop_back();
    return stack;
  }
  static void give_back(void* stack) { all().push_back(stack); }

 private:
  static std::vector<void*>& all() {
    static std::vector<void*> free;
    return free;
  }
};

struct scheduler::fiber {
  enum class state : std::uint8_t { ready, asleep, ended };

  fiber(int thread, int of_process, std::string called, std::function<void()> work)
      : number(thread),
        process(of_process),
        name(std::move(called)),
        run(std::move(work)),
        stack(stacks::take()) {}
  ~fiber() { stacks::give_back(stack); }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  int number;
  int process;
  std::string name;
  std::function<void()> run;
  void* stack;
  ucontext_t context{};  // as it begins
  jmp_buf where{};       // it goes on
  bool begun = false;
  state is = state::ready;
  std::int64_t priority = 0;
  const char* what = "begins";
  const void* at = nullptr;  // of the step
  const void* waits_on = nullptr;
  std::optional<nanoseconds> until;
  bool woken = false;
  nanoseconds asleep_since{};
  store_buffer stores;
  thread_locals own;
  bool waits_for_work = false;
};

}  // namespace oriel::sim
