// What a request of an operation to another node waits for.
#pragma once

#include <memory>

#include "oriel/request.hpp"
#include "session/team/team_state.hpp"
#include "transport/pending_ops.hpp"

namespace oriel::detail {

class request_state {
 public:
  request_state(std::shared_ptr<team_state> group, rank target)
      : group_(std::move(group)), target_(target) {}
  // The operation writes to its buffers until it is complete, waited for or not.
  virtual ~request_state() {
    if (!ops.idle()) request_state::wait();
  }
  request_state(const request_state&) = delete;
  request_state& operator=(const request_state&) = delete;

  virtual bool test() noexcept;
  virtual errc wait() noexcept;
  transport::pending_ops ops;

 private:
  std::shared_ptr<team_state> group_;
  rank target_;
};

}  // namespace oriel::detail

namespace oriel::win {

inline transport::pending_ops* tracker_of(detail::request_state* r) noexcept {
  return r == nullptr ? nullptr : &r->ops;
}

}  // namespace oriel::win
