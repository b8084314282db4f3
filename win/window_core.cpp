#include "win/window_core.hpp"

namespace oriel::detail {

errc window_core::fail(errc code, const std::string& what) noexcept {
  std::int32_t none = 0;
  const bool first = hot.first_error.compare_exchange_strong(none, static_cast<std::int32_t>(code));
  try {
    const std::string text = "window '" + name + "', rank " + std::to_string(me()) + ": " + what +
                             " [" + std::string(oriel::name(code)) + "]";
    note_failure(notes_.load(std::memory_order_relaxed), code, text);
    const std::lock_guard hold(failure_mutex_);
    if (first) failure_ = text;
  } catch (const std::bad_alloc&) {
    // The code is latched; only its text is lost.
  }
  return code;
}

void window_core::recall_first(errc code) noexcept {
  const std::lock_guard hold(failure_mutex_);
  recall_failure(notes_.load(std::memory_order_relaxed), code, failure_);
}

std::string window_core::failure() const {
  std::string last = noted_failure(notes_.load(std::memory_order_relaxed));
  return last.empty() ? first_failure() : last;
}

std::string window_core::first_failure() const {
  const std::lock_guard hold(failure_mutex_);
  return failure_;
}

void window_core::clear_failure() noexcept {
  if (remote != nullptr) remote->forget_failures();
  const std::lock_guard hold(failure_mutex_);
  failure_.clear();
  notes_.store(new_note_owner(), std::memory_order_relaxed);
  hot.first_error.store(0, std::memory_order_relaxed);
}

}  // namespace oriel::detail
