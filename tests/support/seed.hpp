// What a random test begins with: ORIEL_TEST_SEED repeats a run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace oriel::testing {

inline std::uint64_t seed_or(std::uint64_t otherwise) {
  const char* const given = std::getenv("ORIEL_TEST_SEED");
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}
inline std::uint64_t seed() {
  return seed_or(std::random_device{}());
}

}  // namespace oriel::testing
