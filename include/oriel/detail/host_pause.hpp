// How a thread of the host waits for another one to finish a few stores.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace oriel::detail {

// Lets others run; false after some 5 s, in which any writer that lives has finished a slot.
inline bool host_pause(std::uint32_t attempt) noexcept {
  constexpr std::uint32_t short_waits = 1000;
  constexpr std::uint32_t long_waits = 5000;
  if (attempt < short_waits)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return attempt < short_waits + long_waits;
}

}  // namespace oriel::detail
