// Ranks of a node that all are threads of this process, and have one bell.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "sync/owner_watch.hpp"

namespace oriel::sync::testing {

class patient_watch final : public peer_watch {
 public:
  explicit patient_watch(std::chrono::milliseconds patience) : patience_(patience) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return patience_;
  }
  [[nodiscard]] bool serves() const noexcept override {
    ++begun_;
    return false;
  }
  // How many waits did not end with their first look.
  [[nodiscard]] int begun() const noexcept { return begun_; }

 private:
  std::chrono::milliseconds patience_;
  mutable std::atomic<int> begun_ = 0;
};

struct node_of_threads {
  struct alignas(64) line {
    std::byte bytes[64];
  };

  node_of_threads(int p, std::chrono::milliseconds patience, std::size_t shared)
      : ranks(p), waits(patience), block(shared / sizeof(line) + 1) {}

  int ranks;
  patient_watch waits;
  std::vector<line> block;
  request_bell bell{};
  expected_request expected;
  std::atomic<int> dead{-1};
  std::atomic<int> found_dead{0};  // how often
  known_deaths deaths{ranks};
  mailbox_peers peers{&waits,
                      [this](int r) {
                        if (r != dead) return true;
                        ++found_dead;
                        deaths.note(r);
                        return false;
                      },
                      [this](int) -> request_bell& { return bell; },
                      &expected,
                      &deaths,
                      [](int r) { return r; }};
};

}  // namespace oriel::sync::testing
