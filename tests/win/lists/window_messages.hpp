// In how many messages a rank's operations on a window have travelled.
#pragma once

#include <chrono>
#include <cstdint>

#include "oriel/any_window.hpp"

namespace oriel::testing {

// To other nodes, and to private memory of this one: packets, and operations that were alone. By
// what the window counts, so that answers to others' operations are none of them, nor is what
// ORIEL_CHECK asks.
inline std::uint64_t messages_of(const any_window& w) {
  const window_statistics s = w.statistics();
  std::uint64_t n = s.packets;
  for (const access_route alone : {access_route::fabric, access_route::owner_message,
                                   access_route::cma, access_route::owner_mail})
    n += s.of(alone).operations;
  return n;
}

// Those of the window since the object was made.
class sent_messages {
 public:
  explicit sent_messages(const any_window& w) : window_(w), before_(messages_of(w)) {}

  [[nodiscard]] std::uint64_t count() const { return messages_of(window_) - before_; }
  // How many packets to one node may have left before they were full, since they were 50 us old or
  // came after silence, which is once in a round trip, of 10 us at least: on a busy machine, or
  // under the checks, most.
  [[nodiscard]] std::uint64_t most_early() const {
    using namespace std::chrono_literals;
    return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - since_) / 10us);
  }

 private:
  const any_window& window_;
  std::uint64_t before_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace oriel::testing
