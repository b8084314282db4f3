// The job as the environment describes it (docs/LAUNCHING.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace oriel::boot {

struct job_description {
  int rank = 0;
  int size = 1;
  std::string root_host;  // empty: a job of one
  std::uint16_t root_port = 0;
  int root_fd = -1;                               // rank 0: a socket that listens already
  std::string secret;                             // what every joiner must present; may be empty
  std::optional<std::string> memory_alloc_kinds;  // the launcher's --memory-alloc-kinds
  std::optional<std::string> node_id;             // overrides the node's identity
  std::chrono::milliseconds timeout{60'000};
  // ORIEL_TIMEOUT, when it is set, bounds every later wait too.
  std::optional<std::chrono::milliseconds> patience;
  bool check = false;  // ORIEL_CHECK=1
};

// Reads ORIEL_*. Throws errc::arg naming the variable, its value and what is valid.
job_description read_environment();

}  // namespace oriel::boot
