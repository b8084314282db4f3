// ORIEL_CHECK=pages: the signals by which the program's own loads and stores are heard of. SIGSEGV,
// where they are to guarded memory (guarded_memory.hpp): the access is looked at, the page opened,
// and closed again after one step of the processor. SIGTRAP after that step, and after an access to
// a buffer that a register of the processor watches (watchpoint.hpp).
//
// What is none of these is the earlier handler's. A trap is as if the program had called the
// library right before the instruction, so this takes locks and allocates memory: the instruction
// is one of the program's own, outside of the C library and of MPI libraries, which are let in
// without a look. So is this library, where it accesses the program's addresses.
//
// The signals are the process's, so this is: one session has them at a time.
#pragma once

#include "session/session_state.hpp"

namespace oriel::win {

class guarded_memory;
class watched_memory;

class access_traps {
 public:
#if defined(__x86_64__)
  static constexpr bool possible = true;
#else
  static constexpr bool possible = false;
#endif
  // Takes the signals, unless it has them. Requires: `possible`.
  static void begin(detail::session_state&, guarded_memory&);
  // Gives the signals back that are still this library's.
  static void end(const guarded_memory&) noexcept;

  // As long as it lives, this thread's accesses are the library's.
  class library_access {
   public:
    library_access() noexcept { ++depth_; }
    ~library_access() { --depth_; }
    library_access(const library_access&) = delete;
    library_access& operator=(const library_access&) = delete;
    [[nodiscard]] static bool is_here() noexcept { return depth_ != 0; }

   private:
    static inline thread_local int depth_ = 0;
  };
};

}  // namespace oriel::win
