// The job as the environment describes it (docs/LAUNCHING.md), and how variables are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/bootstrap/finding.hpp"

namespace oriel::sessions {

// Where a rank listens, by name.
struct host_port {
  std::string host;
  std::uint16_t port = 0;
};

struct job_description {
  bool placed = false;  // ORIEL_RANK and ORIEL_SIZE are set; else a launcher may know the place
  int rank = 0;
  int size = 1;
  host_port root;                   // no host: a job of one
  std::optional<host_port> parent;  // of this rank in the binomial tree; all ranks' or none's
  // A socket that listens already: rank 0's, and where parents are known that of each rank that has
  // children.
  int root_fd = -1;
  std::string secret;                             // what every rank must know; may be empty
  std::optional<std::string> memory_alloc_kinds;  // the launcher's --memory-alloc-kinds
  std::optional<std::string> node_id;             // overrides the node's identity
  std::chrono::milliseconds timeout{60'000};
  // ORIEL_TIMEOUT, when it is set, bounds every later wait too.
  std::optional<std::chrono::milliseconds> patience;
  checking check = checking::off;
  bool check_accesses = false;  // of the program itself, by traps: ORIEL_CHECK=pages
  std::uint64_t adversary = 0;  // ORIEL_ADVERSARY
  int contexts = 1;             // endpoints of threads
};

// The value of a variable of the environment; nothing when it is not set.
std::optional<std::string> variable(const char* name);
// What it names, separated by commas, without empty names; empty when it is not set.
std::vector<std::string> variable_list(const char* name);
// Whether it is 1 and not 0; nothing when it is not set. Throws errc::arg for other values.
std::optional<bool> variable_switch(const char* name);

using variables = std::function<std::optional<std::string>(const char* name)>;

// Reads ORIEL_*. Throws errc::arg naming the variable, its value and what is valid.
job_description read_environment(const variables& variable = sessions::variable);

// Seconds as a user wrote them, for messages: "within 60 s (ORIEL_TIMEOUT)".
std::string within(std::chrono::milliseconds timeout);

// `text`, which variable `name` holds, as a number from low to high. Throws errc::arg naming all.
int parse_number(const std::string& name, const std::string& text, int low, int high);

inline constexpr int most_ranks = 1 << 20;

}  // namespace oriel::sessions
