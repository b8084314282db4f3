#include "win/route/prompt_owners.hpp"

#include <unistd.h>

#include "transport/cma.hpp"

namespace oriel::win {

namespace {

std::chrono::nanoseconds soonest_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr int tries = 16;
  std::chrono::nanoseconds soonest = std::chrono::seconds(1);
  for (int i = 0; i < tries; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const errc e = transport::cma_read(getpid(), reinterpret_cast<std::uintptr_t>(from), to, bytes);
    if (e == errc::success)
      soonest =
          std::min<std::chrono::nanoseconds>(soonest, std::chrono::steady_clock::now() - began);
  }
  return soonest;
}

}  // namespace

// Of this process's own memory, which takes about as long as another's. Where the two buffers are
// aligned alike, the kernel is quickest.
kernel_copy_time::kernel_copy_time(detail::session_state&) {
  constexpr std::size_t longest = prompt_owners::longest;
  struct alignas(64) line {
    std::array<std::byte, 64> bytes;
  };
  std::vector<line> from(longest / sizeof(line)), to(from.size());
  smallest = soonest_copy(from[0].bytes.data(), to[0].bytes.data(), sizeof(std::uint64_t));
  const auto all = soonest_copy(from[0].bytes.data(), to[0].bytes.data(), longest);
  by_kilobyte =
      std::max(std::chrono::nanoseconds(0), all - smallest) * 1024 / std::int64_t{longest};
}

}  // namespace oriel::win
