#include "win/route/request_state.hpp"

#include "oriel/detail/failure_note.hpp"
#include "session/team/collective_note.hpp"
#include "transport/fabric.hpp"
#include "win/slots/target.hpp"

namespace oriel::detail {

bool request_state::test() noexcept {
  return transport::fabric_of(group_->session().job()).test(ops, group_->world_rank(target_.value));
}

// Shown by its name, and not counted: the window may have been freed.
errc request_state::wait() noexcept {
  const sessions::collective_note shown(*group_, "request::wait", target_.value);
  const errc e = transport::fabric_of(group_->session().job())
                     .wait(ops, group_->world_rank(target_.value), group_->watch());
  if (e == errc::success) return e;
  try {
    note_failure(0, e, win::failed_with(*group_, e, target_, "a request"));
  } catch (const std::bad_alloc&) {
    // The code is returned; only its text is lost.
  }
  return e;
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
