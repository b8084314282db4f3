#include "win/window_core.hpp"

namespace oriel::detail {

errc window_core::fail(errc code, const std::string& what) noexcept {
  std::int32_t none = 0;
  if (!hot.first_error.compare_exchange_strong(none, static_cast<std::int32_t>(code))) return code;
  try {
    const std::lock_guard hold(failure_mutex_);
    failure_ = "window '" + name + "', rank " + std::to_string(me()) + ": " + what + " [" +
               std::string(oriel::name(code)) + "]";
  } catch (const std::bad_alloc&) {
    // The code is latched; only its text is lost.
  }
  return code;
}

std::string window_core::failure() const {
  const std::lock_guard hold(failure_mutex_);
  return failure_;
}

void window_core::clear_failure() noexcept {
  const std::lock_guard hold(failure_mutex_);
  failure_.clear();
  hot.first_error.store(0, std::memory_order_relaxed);
}

}  // namespace oriel::detail
