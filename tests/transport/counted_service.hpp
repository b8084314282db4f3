// A service of numbered messages, each filled with its number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/fabric.hpp"

namespace oriel::transport {

// Notes whether messages come whole, and in the order in which they were sent.
class counted_service final : public service {
 public:
  void serve(const message& m) noexcept override {
    const auto turn = m.head.carried<std::uint64_t>();
    wrong += turn != arrived ||
             std::any_of(m.payload.begin(), m.payload.end(),
                         [turn](std::byte b) { return b != static_cast<std::byte>(turn); });
    ++arrived;
  }
  std::atomic<std::uint64_t> arrived{0}, wrong{0};
};

}  // namespace oriel::transport
