#include "tools/run/schedule.hpp"

#include <algorithm>
#include <utility>

namespace oriel::tools {

void schedule::add(planned_work planned) {
  const auto at = std::find_if(left_.begin(), left_.end(), [&](const planned_work& other) {
    return other.after <= planned.after;
  });
  left_.insert(at, std::move(planned));
}

std::optional<schedule::clock::time_point> schedule::next() const {
  return left_.empty() ? std::nullopt : std::optional(due(left_.back()));
}

void schedule::run_due() {
  while (!left_.empty() && clock::now() >= due(left_.back())) {
    const planned_work now = std::move(left_.back());
    left_.pop_back();
    now.work();
  }
}

schedule::clock::time_point schedule::due(const planned_work& planned) const {
  return start_ + std::chrono::duration_cast<clock::duration>(planned.after);
}

}  // namespace oriel::tools
