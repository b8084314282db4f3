#include "tests/drivers/ptx/schedule.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace oriel::test_driver::ptx {
namespace {

constexpr std::array<std::string_view, 6> names{"in_turn", "random",   "starved",
                                                "atomics", "lockstep", "late"};

policy named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<policy>(i);
  throw std::invalid_argument("ORIEL_TEST_SCHEDULE: no policy '" + std::string(name) +
                              "', only in_turn, random, starved, atomics, lockstep, late");
}

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace

schedule::schedule(std::uint64_t seed, policy how, std::uint64_t launch)
    : seed_(seed), state_(scrambled(scrambled(seed + 1) + launch) | 1), how_(how) {}

schedule schedule::of_environment() {
  const char* const variable = std::getenv("ORIEL_TEST_SCHEDULE");
  const std::string_view text = variable == nullptr ? std::string_view() : variable;
  const auto colon = text.find(':');
  const std::uint64_t seed = std::strtoull(std::string(text.substr(0, colon)).c_str(), nullptr, 10);
  static std::mutex mutex;
  static auto& last = *new std::string;
  static std::uint64_t launches = 0;
  const std::lock_guard hold(mutex);
  if (std::exchange(last, std::string(text)) != text) launches = 0;
  const std::uint64_t launch = launches++;
  policy how = seed == 0 ? policy::in_turn : static_cast<policy>(1 + seed % 3);
  if (colon != std::string_view::npos) how = named(text.substr(colon + 1));
  return {seed, how, launch};
}

std::string schedule::text() const {
  return "ORIEL_TEST_SCHEDULE=" + std::to_string(seed_) + ":" +
         std::string(names[static_cast<std::size_t>(how_)]);
}

}  // namespace oriel::test_driver::ptx
