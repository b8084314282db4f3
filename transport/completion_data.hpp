// What a write says to its target beside its bytes (FI_REMOTE_CQ_DATA): a notification, by a number
// that the target has given its sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "sync/system.hpp"

namespace oriel::transport {

class service;

struct completion_data {
  std::uint32_t number = 0;  // 0: none was given
  std::uint32_t counter = 0;
  std::uint32_t amount = 0;

  // In so many bits of the 4 or 8 bytes that a provider carries.
  struct widths {
    int number, counter, amount;
  };
  static constexpr widths in(std::size_t bytes) noexcept {
    return bytes < sizeof(std::uint64_t) ? widths{12, 8, 12} : widths{24, 16, 24};
  }
  // Nothing where it does not fit.
  [[nodiscard]] constexpr std::optional<std::uint64_t> packed(std::size_t bytes) const noexcept {
    const widths w = in(bytes);
    if (bytes < sizeof(std::uint32_t) || number == 0 || number >> w.number != 0 ||
        counter >> w.counter != 0 || amount >> w.amount != 0)
      return std::nullopt;
    return number | std::uint64_t{counter} << w.number |
           std::uint64_t{amount} << (w.number + w.counter);
  }
  static constexpr completion_data unpacked(std::uint64_t word, std::size_t bytes) noexcept {
    const widths w = in(bytes);
    const auto field = [word](int from, int bits) {
      return static_cast<std::uint32_t>(word >> from & ((1u << bits) - 1));
    };
    return {field(0, w.number), field(w.number, w.counter), field(w.number + w.counter, w.amount)};
  }
};

// The numbers that a process has given. They go round, so that what is late names nobody for long.
// Threads: any.
class notice_numbers {
 public:
  struct holder {
    service* to = nullptr;  // null: nobody has the number
    int from = 0;
  };
  // One below 2^bits; 0 when none is left, or no memory.
  std::uint32_t give(holder h, int bits) noexcept;
  [[nodiscard]] holder find(std::uint32_t number) const noexcept;
  void take_back(const service&) noexcept;

 private:
  mutable sync::mutex mutex_;
  std::unordered_map<std::uint32_t, holder> given_;
  std::uint32_t last_ = 0;
};

}  // namespace oriel::transport
