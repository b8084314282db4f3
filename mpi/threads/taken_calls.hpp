// Functions of other libraries that this one takes, to hear of them: each does what the other does,
// by calling it.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "mpi/symbol.hpp"
#include "mpi/threads/thread_order.hpp"

namespace oriel::mpi {

// A function of libgomp's where a module of the program's has brought it, which only that one sees.
// Null where there is none.
void* of_hidden_library(const char* name) noexcept;

// The function that is called by this name where this library is not. Looked up once; without a
// guard of the compiler's, which would be taken itself.
template <symbol Name, class Function>
Function* next_function(Function*) noexcept {
  static constinit std::atomic<void*> found{nullptr};
  void* known = found.load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = dlsym(RTLD_NEXT, Name.name);
    if (known == nullptr) known = of_hidden_library(Name.name);
    found.store(known, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(known);
}

// Calls `work(order)` where there is one, which stays until this returns.
class told_order {
 public:
  template <class Work>
  static void tell(Work work) noexcept {
    if (current_.load(std::memory_order_relaxed) == nullptr) [[likely]]
      return;
    const int kept = errno;
    users_.fetch_add(1);
    if (const thread_order* const order = current_.load()) work(*order);
    users_.fetch_sub(1);
    errno = kept;
  }
  static void set(const thread_order*) noexcept;

 private:
  static inline std::atomic<const thread_order*> current_{nullptr};
  static inline std::atomic<int> users_{0};
};

inline void release(const void* key) noexcept {
  told_order::tell([&](const thread_order& o) { o.release(key); });
}
inline void acquire(const void* key) noexcept {
  told_order::tell([&](const thread_order& o) { o.acquire(key); });
}
inline void learn_everything() noexcept {
  told_order::tell([](const thread_order& o) { o.learn_everything(); });
}
inline void take_threads_together() noexcept {
  told_order::tell([](const thread_order& o) { o.take_together(); });
}

// Whether a call came from the program: libraries of MPI have locks of their own, which order
// nothing that a program may rely on.
bool is_the_programs(const void* caller) noexcept;
// The same, and C++'s library has not made it, which the MPI face uses in its calls as well.
bool is_the_programs_own(const void* caller) noexcept;

}  // namespace oriel::mpi

// Defines a function that is called by the name of another's, whatever headers say of that one.
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_TAKE(result, name, parameters)                                                       \
  extern "C" __attribute__((visibility("default"))) result taken_##name parameters __asm__(#name); \
  extern "C" result taken_##name parameters
// NOLINTEND(bugprone-macro-parentheses)
// In it: the other one.
#define ORIEL_NEXT(name) (::oriel::mpi::next_function<#name>(&taken_##name))
