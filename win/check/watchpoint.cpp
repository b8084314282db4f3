#include "win/check/watchpoint.hpp"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace oriel::win {
namespace {

// perf_event_attr as far as its version 7, which older headers lack.
constexpr std::size_t attributes_bytes = 128;
constexpr std::uint64_t exclude_kernel = std::uint64_t{1} << 5, exclude_hv = std::uint64_t{1} << 6,
                        remove_on_exec = std::uint64_t{1} << 36, sigtrap = std::uint64_t{1} << 37;
constexpr std::size_t flags_at = 40;  // after read_format

// The largest 1, 2, 4 or 8 bytes at `low` that are aligned, as registers need it.
std::size_t first_bytes(std::uintptr_t low, std::uintptr_t high) noexcept {
  std::size_t bytes = 8;
  while (low % bytes != 0 || bytes > high - low) bytes /= 2;
  return bytes;
}

}  // namespace

watchpoint::watchpoint(std::uintptr_t low, std::uintptr_t high, bool loads) noexcept
    : first_(low), bytes_(first_bytes(low, high)) {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_BREAKPOINT;
  wanted.sample_period = 1;
  wanted.bp_type = loads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
  wanted.bp_addr = low;
  wanted.bp_len = bytes_;
  alignas(8) std::array<unsigned char, attributes_bytes> whole{};
  static_assert(sizeof wanted >= 72);
  std::memcpy(whole.data(), &wanted, sizeof wanted < whole.size() ? sizeof wanted : whole.size());
  const std::uint32_t size = attributes_bytes;
  std::memcpy(whole.data() + 4, &size, sizeof size);
  const std::uint64_t flags = exclude_kernel | exclude_hv | remove_on_exec | sigtrap;
  std::memcpy(whole.data() + flags_at, &flags, sizeof flags);
  fd_ = sessions::socket_fd(static_cast<int>(
      syscall(SYS_perf_event_open, whole.data(), 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace oriel::win
