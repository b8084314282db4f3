// Waiting that ends: no provider's silence can hang a measurement.
#pragma once

#include <sched.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace bench {

// One wait for `what`: `turn` after each look in vain.
class patience {
 public:
  // `crowded`: there are more processes than processors, so the one waited for may need this one's.
  patience(const char* what, bool crowded) : what_(what), crowded_(crowded) {}

  void turn() {
    if (crowded_) sched_yield();
    if (++turns_ % turns_a_look != 0) return;
    const auto now = clock::now();
    if (turns_ == turns_a_look)
      until_ = now + std::chrono::seconds(at_most_seconds);
    else if (now > until_)
      throw std::runtime_error(std::string("gave up waiting for ") + what_ + " after " +
                               std::to_string(at_most_seconds) + " s");
  }

 private:
  using clock = std::chrono::steady_clock;
  // The clock is not to be seen in what is measured.
  static constexpr unsigned turns_a_look = 1024;
  static constexpr int at_most_seconds = 10;

  const char* what_;
  bool crowded_;
  unsigned turns_ = 0;
  clock::time_point until_;
};

}  // namespace bench
