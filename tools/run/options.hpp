// The options of a launcher, beside where the ranks run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/run/schedule.hpp"

namespace oriel::tools {

// SIGKILL for one rank, on purpose; its death by it is no failure.
struct planned_death {
  int rank = 0;
  seconds after{};
};

struct options {
  std::string program = "oriel-run";  // the name that begins messages
  bool tag = false;
  std::optional<std::string> memory_alloc_kinds;
  std::vector<std::string> command;
  std::optional<seconds> timeout;  // then the job is ended with status 124

  // The rest is for tests of what happens when something breaks.
  bool outlast_failures = false;  // a rank that fails ends no other; the highest status counts
  std::vector<planned_death> deaths;
  std::vector<planned_work> faults;  // anything else to be done to the job while it runs
};

}  // namespace oriel::tools
