// ORIEL_ADVERSARY=seed: what is chosen by the seed, and how much later calls that synchronize begin
// and return.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "sync/system.hpp"

namespace oriel::sessions {

// Of one rank and one object of its: the same calls meet the same choices in each run. Threads:
// any.
class adversary_choices {
 public:
  adversary_choices(std::uint64_t seed, int world_rank, std::uint64_t object) noexcept
      : state_(mix(mix(seed * golden + static_cast<std::uint64_t>(world_rank)) + object)) {}

  [[nodiscard]] std::uint64_t draw() noexcept {
    return mix(state_.fetch_add(golden, std::memory_order_relaxed));
  }
  // Blocks for up to 300 us, one time in four.
  void delay() noexcept {
    constexpr std::chrono::nanoseconds longest = std::chrono::microseconds(300);
    constexpr std::uint64_t one_in = 4;
    const std::uint64_t drawn = draw();
    if (drawn % one_in == 0)
      sync::sleep_for(std::chrono::nanoseconds(drawn / one_in % longest.count()));
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  // splitmix64 (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::atomic<std::uint64_t> state_;
};

// A call that synchronizes begins late, and returns late. Null: it does not.
class late_call {
 public:
  explicit late_call(adversary_choices* by) noexcept : by_(by) {
    if (by_ != nullptr) [[unlikely]]
      by_->delay();
  }
  ~late_call() {
    if (by_ != nullptr) [[unlikely]]
      by_->delay();
  }
  late_call(const late_call&) = delete;
  late_call& operator=(const late_call&) = delete;

 private:
  adversary_choices* by_;
};

}  // namespace oriel::sessions
