#include "win/window_failure.hpp"

namespace oriel::win {

void window_failure::note(errc code, const std::string& text, bool first) {
  detail::note_failure(notes_.load(std::memory_order_relaxed), code, text);
  const std::lock_guard hold(mutex_);
  if (first && first_.empty()) first_ = text;
}

void window_failure::recall(errc code) noexcept {
  const std::lock_guard hold(mutex_);
  detail::recall_failure(notes_.load(std::memory_order_relaxed), code, first_);
}

std::string window_failure::last() const {
  std::string last = detail::noted_failure(notes_.load(std::memory_order_relaxed));
  return last.empty() ? first() : last;
}

std::string window_failure::first() const {
  const std::lock_guard hold(mutex_);
  return first_;
}

void window_failure::clear() noexcept {
  const std::lock_guard hold(mutex_);
  first_.clear();
  notes_.store(detail::new_note_owner(), std::memory_order_relaxed);
}

}  // namespace oriel::win
