#include "win/route/prompt_owners.hpp"

#include <unistd.h>

#include "transport/cma.hpp"

namespace oriel::win {

// Of this process's own memory, which takes as long as another's.
kernel_copy_time::kernel_copy_time(detail::session_state&) : value(std::chrono::seconds(1)) {
  constexpr int tries = 16;
  std::uint64_t there = 0, here = 0;
  for (int i = 0; i < tries; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const errc e =
        transport::cma_read(getpid(), reinterpret_cast<std::uintptr_t>(&there), &here, sizeof here);
    if (e == errc::success)
      value = std::min<std::chrono::nanoseconds>(value, std::chrono::steady_clock::now() - began);
  }
}

}  // namespace oriel::win
