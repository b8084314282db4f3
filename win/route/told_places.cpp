#include "win/route/told_places.hpp"

#include <new>

namespace oriel::win {

told_places::known told_places::find(std::uint64_t at, std::uint64_t bytes,
                                     told_place& found) noexcept {
  const std::lock_guard hold(mutex_);
  if (being_forgotten_ != 0) return known::reached_by_owner;
  auto next = by_first_.upper_bound(at);
  if (next == by_first_.begin()) return known::nothing;
  const told_place& before = std::prev(next)->second;
  if (!before.holds(at, bytes)) return known::nothing;
  found = before;
  return before.is_registered != 0 ? known::reached_remotely : known::reached_by_owner;
}

std::uint64_t told_places::forgotten() noexcept {
  const std::lock_guard hold(mutex_);
  return forgotten_;
}

void told_places::remember(const told_place& told, std::uint64_t forgotten_before) noexcept {
  const std::lock_guard hold(mutex_);
  if (forgotten_ != forgotten_before) return;
  try {
    if (by_first_.size() == most) by_first_.erase(by_first_.begin());
    by_first_.insert_or_assign(told.first, told);
  } catch (const std::bad_alloc&) {
    // The next operation asks again.
  }
}

void told_places::forget(std::uint64_t first) noexcept {
  const std::lock_guard hold(mutex_);
  ++forgotten_;
  ++being_forgotten_;
  by_first_.erase(first);
}

void told_places::end_forgetting() noexcept {
  const std::lock_guard hold(mutex_);
  --being_forgotten_;
}

}  // namespace oriel::win
