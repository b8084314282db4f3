// ORIEL_CHECK: the request of an operation, which on this node is complete on return. What it reads
// counts as complete when the program has heard so; MPI's requests are heard of by the calls of
// MPI's.
#pragma once

#include "win/check/watched_memory.hpp"
#include "win/route/request_state.hpp"

namespace oriel::win {

class checked_request final : public detail::request_state {
 public:
  checked_request(const detail::window_core& core, rank target)
      : request_state(core.group, target),
        watched_(core.group->session().extension<watched_memory>()) {}

  bool test() noexcept override {
    const bool complete = ops.idle() || request_state::test();
    if (complete) watched_.release_requests();
    return complete;
  }
  errc wait() noexcept override {
    const bool succeeded = ops.idle() && ops.failure() == errc::success;
    const errc e = succeeded ? errc::success : request_state::wait();
    watched_.release_requests();
    return e;
  }

 private:
  watched_memory& watched_;  // the group's session's
};

}  // namespace oriel::win
