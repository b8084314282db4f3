// What a process has one of, whatever its sessions: state that cannot hang from a session, since it
// is there before the first one, or is the threads'. In a release it is the T itself. In a
// simulation, where one program stands for many processes, each of these has its own.
//
// What threads have of their own is thread_local in either: there the scheduler keeps it
// (tests/sim/thread_locals.hpp).
#pragma once

#ifdef ORIEL_SIMULATED
#include "sync/simulated_system.hpp"
#else

namespace oriel::sync {

// Threads: as T.
template <class T>
class process_own {
 public:
  constexpr process_own() noexcept = default;
  process_own(const process_own&) = delete;
  process_own& operator=(const process_own&) = delete;
  [[nodiscard]] T& operator*() noexcept { return value_; }
  [[nodiscard]] T* operator->() noexcept { return &value_; }

 private:
  T value_{};
};

}  // namespace oriel::sync
#endif
