// ORIEL_CHECK=pages: one of the processor's registers that stop a thread at accesses to a few bytes
// (four of eight bytes on x86-64), by the kernel's perf_event_open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::win {

class watchpoint {
 public:
  static constexpr std::size_t at_once = 4;

  watchpoint() noexcept = default;
  // After stores of the calling thread to the first bytes of [low, high), and loads where `loads`
  // says so, it gets SIGTRAP with the address first(). Watches nothing where the kernel does not
  // have it (before Linux 5.13, or by kernel.perf_event_paranoid), or no register is free.
  watchpoint(std::uintptr_t low, std::uintptr_t high, bool loads) noexcept;

  [[nodiscard]] std::uintptr_t first() const noexcept { return first_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_.get() >= 0; }

 private:
  sessions::socket_fd fd_;
  std::uintptr_t first_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace oriel::win
