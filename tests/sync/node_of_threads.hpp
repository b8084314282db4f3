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

 private:
  std::chrono::milliseconds patience_;
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
  mailbox_peers peers{&waits, [this](int r) { return r != dead; },
                      [this](int) -> request_bell& { return bell; }, &expected};
};

}  // namespace oriel::sync::testing
