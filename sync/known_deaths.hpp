// Which ranks of its node a process has found dead: none of them is waited for again, since each
// wait lasts some milliseconds before it looks who lives, and that look is a system call.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace oriel::sync {

// In lines of its own, which others of the process do not write.
class alignas(64) known_deaths {
 public:
  // Numbers `ranks` of them from 0; all live. Throws std::bad_alloc.
  explicit known_deaths(int ranks) : dead_(static_cast<std::size_t>(ranks)) {}

  // Whether any has been found dead: false is one load.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  // What the rank did before it died is seen afterwards.
  [[nodiscard]] bool has(int r) const noexcept {
    return dead_[static_cast<std::size_t>(r)].load(std::memory_order_acquire);
  }
  void note(int r) noexcept {
    dead_[static_cast<std::size_t>(r)].store(true, std::memory_order_release);
    any_.store(true, std::memory_order_relaxed);
  }
  // All live, as far as is known from now on.
  void forget() noexcept {
    any_.store(false, std::memory_order_relaxed);
    for (std::atomic<bool>& each : dead_) each.store(false, std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<bool>> dead_;
  std::atomic<bool> any_{false};
};

}  // namespace oriel::sync
