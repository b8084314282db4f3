// What streams of all vendors' test drivers do besides copies and kernels: they call the host, and
// wait for a value in memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "tests/drivers/ledger.hpp"

namespace oriel::test_driver {

// The calling thread runs a function for a stream, which must call no driver.
inline thread_local bool in_host_function = false;

inline void expect_no_host_function(std::string_view call) {
  if (in_host_function)
    fault("a driver's call by a function that a stream calls", std::string(call));
}

inline bool call_host(void (*function)(void*), void* argument) {
  in_host_function = true;
  function(argument);
  in_host_function = false;
  return true;
}

// Until the word is at least `value`, as 64-bit counters that wrap are compared.
inline bool wait_for_value(std::uint64_t* word, std::uint64_t value) {
  using std::chrono::microseconds;
  const std::atomic_ref<std::uint64_t> seen(*word);
  while (static_cast<std::int64_t>(seen.load(std::memory_order_acquire) - value) < 0)
    std::this_thread::sleep_for(microseconds(20));
  return true;
}

}  // namespace oriel::test_driver
