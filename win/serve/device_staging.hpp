// The owner's part of moving device memory between nodes where the fabric does not register it:
// what messages bring is copied to the device out of pinned memory of the host, and what they read
// for comes there first. The copies of all messages that have come together run on the device,
// those to it one after the other, and those from it, and are waited for once; then each is
// answered.
//
// Only handlers use it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "kinds/device_runtime.hpp"
#include "transport/message.hpp"

namespace oriel::win {

class device_staging {
 public:
  // Throws no_mem.
  device_staging(kinds::device_runtime&, int device);
  ~device_staging();
  device_staging(const device_staging&) = delete;
  device_staging& operator=(const device_staging&) = delete;

  // Begins what `asked` requests of the device memory at `location`. The requester is answered by
  // `settle`, unless this fails.
  errc put(const transport::message_head& asked, std::byte* location,
           std::span<const std::byte> payload) noexcept;
  errc get(const transport::message_head& asked, const std::byte* location,
           std::size_t bytes) noexcept;
  [[nodiscard]] bool full() const noexcept { return used_ == slots; }

  // Waits for what was begun, and calls answer(asked, outcome, bytes to return) for each.
  template <class Answer>
  void settle(Answer answer) noexcept {
    if (used_ == 0) return;
    const errc outcome = runtime_.drain();
    for (std::size_t i = 0; i < used_; ++i)
      answer(pending_[i].asked, outcome,
             std::span<const std::byte>(slot(i), outcome == errc::success ? pending_[i].reply : 0));
    used_ = 0;
  }

 private:
  static constexpr std::size_t slots = 64;
  struct transfer {
    transport::message_head asked;
    std::size_t reply = 0;  // bytes
  };
  [[nodiscard]] std::byte* slot(std::size_t i) const noexcept {
    return memory_ + i * transport::longest_ordered;
  }

  kinds::device_runtime& runtime_;
  std::byte* memory_;
  std::array<transfer, slots> pending_{};
  std::size_t used_ = 0;
};

}  // namespace oriel::win
