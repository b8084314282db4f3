// The request of an operation that the adversary holds back.
#pragma once

#include <memory>

#include "win/route/request_state.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class adversary;

// Complete only when it is waited for, or has been looked at several times. The window may be freed
// before, which performs the operation.
class late_request final : public detail::request_state {
 public:
  late_request(const detail::window_core&, rank target);
  ~late_request() override;
  late_request(const late_request&) = delete;
  late_request& operator=(const late_request&) = delete;

  bool test() noexcept override;
  errc wait() noexcept override;
  // The operation is performed, and `result` is what it has returned.
  void performed(errc result) noexcept { result_ = result; }

 private:
  std::shared_ptr<adversary> by_;
  bool tracked_;  // the route to the target counts it, too
  int looks_;
  errc result_ = errc::success;
};

// What a new request of an operation to rank `r` is made of, held back or not. Throws
// std::bad_alloc.
std::shared_ptr<detail::request_state> state_of_request(const detail::window_core&, rank r);

}  // namespace oriel::win
