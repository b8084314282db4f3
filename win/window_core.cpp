#include "win/window_core.hpp"

namespace oriel::detail {

errc window_core::fail(errc code, const std::string& what) noexcept {
  // What this rank calls next differs from what others call who have not found it out yet. A target
  // that has found out a death frees the window, and refuses this rank that has not.
  if (code == errc::peer_failed || code == errc::rma_sync) group->session().job().note_bereaved();
  latch(code);
  const bool first = hot.first_error.load() == static_cast<std::int32_t>(code);
  try {
    failure.note(code,
                 "window '" + agreed.name + "', rank " + std::to_string(me()) + ": " + what + " [" +
                     std::string(oriel::name(code)) + "]",
                 first);
  } catch (const std::bad_alloc&) {
    // The code is latched; only its text is lost.
  }
  return code;
}

void window_core::latch(errc code) noexcept {
  std::int32_t none = 0;
  if (code != errc::success)
    hot.first_error.compare_exchange_strong(none, static_cast<std::int32_t>(code));
}

void window_core::clear_failure() noexcept {
  if (routes.packets != nullptr) routes.packets->forget_failures();
  if (routes.remote != nullptr) routes.remote->forget_failures();
  failure.clear();
  hot.first_error.store(0, std::memory_order_relaxed);
}

}  // namespace oriel::detail
