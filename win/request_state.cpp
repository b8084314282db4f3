#include "win/request_state.hpp"

#include "transport/fabric.hpp"

namespace oriel::detail {

bool request_state::test() noexcept {
  return transport::fabric_of(group_->session().job()).test(ops, group_->world_rank(target_.value));
}

errc request_state::wait() noexcept {
  return transport::fabric_of(group_->session().job())
      .wait(ops, group_->world_rank(target_.value), group_->watch());
}

}  // namespace oriel::detail

namespace oriel {

bool request::test() const noexcept {
  return state_ == nullptr || state_->test();
}

status request::wait() noexcept {
  if (state_ == nullptr) return result_;
  const errc ended = state_->wait();
  if (result_.ok()) result_ = ended;
  state_.reset();
  return result_;
}

}  // namespace oriel
