// Numbers that look random and are the same wherever and whenever they are drawn: by a seed and
// their purpose.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace oriel::testing {

class dice {
 public:
  explicit dice(std::initializer_list<std::uint64_t> purpose) noexcept {
    for (const std::uint64_t p : purpose) state_ = mixed(state_ + p);
  }
  // splitmix64.
  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    return mixed(state_);
  }
  // From 0 to n - 1.
  std::uint64_t below(std::uint64_t n) noexcept { return n == 0 ? 0 : next() % n; }
  int pick(int n) noexcept { return static_cast<int>(below(static_cast<std::uint64_t>(n))); }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

 private:
  static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace oriel::testing
