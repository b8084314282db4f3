// What libFuzzer calls. It stops, and keeps the input, when an invariant is broken.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
  try {
    oriel::fuzz::check({reinterpret_cast<const char*>(bytes), n});
  } catch (const oriel::fuzz::broken_invariant& broken) {
    std::fprintf(stderr, "broken invariant: %s\n", broken.what());
    std::abort();
  }
  return 0;
}
