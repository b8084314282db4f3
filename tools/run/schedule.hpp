// Work to be done at set times. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace oriel::tools {

using seconds = std::chrono::duration<double>;

struct planned_work {
  seconds after{};  // the start
  std::function<void()> work;
};

// Changes what the kernel may take long over, and returns by how much it was late; nothing where it
// was not.
template <class Change>
std::optional<seconds> late_by(Change change) {
  const auto begun = std::chrono::steady_clock::now();
  change();
  const seconds took = std::chrono::steady_clock::now() - begun;
  return took > std::chrono::milliseconds(500) ? std::optional(took) : std::nullopt;
}

class schedule {
 public:
  using clock = std::chrono::steady_clock;

  // Times count from this object's making.
  void add(planned_work planned);
  // When there is something to do next, if ever.
  [[nodiscard]] std::optional<clock::time_point> next() const;
  // Does what is due, earliest first; each piece once.
  void run_due();

 private:
  [[nodiscard]] clock::time_point due(const planned_work& planned) const;

  clock::time_point start_ = clock::now();
  std::vector<planned_work> left_;  // latest first
};

}  // namespace oriel::tools
