// The handle of a container's phase, as one rank has it open: hash_map_phase, bloom_filter_phase
// and queue_phase are such handles with the operations of their phases.
#pragma once

#include <string>
#include <utility>

#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"

namespace oriel {

// Requires: the phase ends before its container is destroyed.
template <class State>
class [[nodiscard]] phase_handle {
 public:
  phase_handle(phase_handle&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  phase_handle& operator=(phase_handle&&) = delete;
  ~phase_handle() { static_cast<void>(end()); }
  // Ends the phase; does nothing the second time. Collective. Blocks until every rank has ended it.
  // Complete at the owners: all that it wrote. Returns the window's first failure, or what
  // team::barrier returns.
  status end() noexcept {
    State* const open = std::exchange(state_, nullptr);
    return open == nullptr ? status{} : open->leave();
  }

 protected:
  template <class Kind>
  phase_handle(State& s, Kind kind) : state_(&s) {
    s.enter(kind);
  }
  // What an operation after the phase's end returns. `container`: "hash_map".
  [[gnu::cold]] static errc refused(const char* container) noexcept {
    detail::note_failure(0, errc::rma_sync,
                         std::string(container) + ": an operation on a phase that has ended");
    return errc::rma_sync;
  }

  State* state_;  // null once it has ended
};

}  // namespace oriel
