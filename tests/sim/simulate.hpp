// Runs of a protocol from seeds: a random program, a random schedule, random faults; and the
// smallest program that still fails, where one does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/sim/protocol.hpp"

namespace oriel::sim {

// Light: one rank is killed or stands still. Heavy: any number are, and all stand still at times.
enum class faults : std::uint8_t { none, light, heavy };

struct conditions {
  std::uint64_t seed = 1;
  int most_ranks = 4;
  faults suffered = faults::none;
};

// Runs the seed's program.
verdict run_seed(const protocol& what, const conditions& how);
// The same for a program of the caller's: schedule and faults are the seed's.
verdict run_program(const protocol& what, const program& p, const conditions& how);

// Returns a text about a seed that fails: why, and the smallest program found that still does;
// nothing where it does not.
std::optional<std::string> failure_of(const protocol& what, const conditions& how);
// The first line of that text, of how it has failed.
std::string failure_of(const protocol& what, const conditions& how, const verdict& failed);

}  // namespace oriel::sim
