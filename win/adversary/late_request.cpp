#include "win/adversary/late_request.hpp"

#include "win/adversary/adversary.hpp"

namespace oriel::win {

late_request::late_request(const detail::window_core& core, rank target)
    : request_state(core.group, target),
      by_(core.adversary),
      tracked_(core.routes.to(target).tracked),
      looks_(by_->looks_in_vain()) {}

// The program gives the request up, and with it the buffers.
late_request::~late_request() {
  by_->complete_locally(*this);
}

bool late_request::test() noexcept {
  if (looks_ > 0 && --looks_ > 0) return false;
  by_->complete_locally(*this);
  return !tracked_ || request_state::test();
}

errc late_request::wait() noexcept {
  by_->complete_locally(*this);
  const errc ended = tracked_ ? request_state::wait() : errc::success;
  return result_ != errc::success ? result_ : ended;
}

std::shared_ptr<detail::request_state> state_of_request(const detail::window_core& core, rank r) {
  if (holds_back(core)) return std::make_shared<late_request>(core, r);
  return std::make_shared<detail::request_state>(core.group, r);
}

}  // namespace oriel::win
