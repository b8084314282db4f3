// How long a call waits for a device.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

namespace oriel::kinds {

// From when it is made.
class time_limit {
 public:
  using length = std::optional<std::chrono::milliseconds>;  // nothing: any time

  explicit time_limit(length at_most) noexcept : at_most_(at_most) {}
  [[nodiscard]] bool is_set() const noexcept { return at_most_.has_value(); }
  [[nodiscard]] bool passed() const noexcept {
    return at_most_ && clock::now() - began_ > *at_most_;
  }
  // As long, from now.
  [[nodiscard]] time_limit again() const noexcept { return time_limit(at_most_); }
  // Between two looks. Most kernels end soon, and are seen at once; a full device stays full.
  void pause() const noexcept {
    if (clock::now() - began_ < std::chrono::milliseconds(1))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  using clock = std::chrono::steady_clock;
  length at_most_;
  clock::time_point began_ = clock::now();
};

}  // namespace oriel::kinds
