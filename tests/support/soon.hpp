// Waits for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace oriel::testing {

// Returns whether `done` has returned true within 20 s; it is not called again after that.
template <class Done>
bool soon(Done done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace oriel::testing
