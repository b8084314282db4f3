// The results as rows: oriel beside the limit and each peer, with the aims that the project set.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/driver/samples.hpp"

namespace bench {

struct result_row {
  row_key key;
  std::optional<double> oriel_ns;
  std::optional<double> limit_ns;
  std::string peer;  // empty: none was requested
  std::optional<double> peer_ns;
  std::string peer_failure;

  [[nodiscard]] std::optional<double> speedup() const {
    if (!oriel_ns || !peer_ns) return std::nullopt;
    return *peer_ns / *oriel_ns;
  }
};

// A row's aim; 0 where there is none.
struct aim {
  double speedup_over_openmpi = 0;
  double at_most_times_limit = 0;
};
aim aim_of(const row_key&);

// The limit's case that a case stands beside: its own, or another's of the same least work.
std::string limit_case(const std::string& name);

// One row for each of oriel's rows and each peer.
std::vector<result_row> join(const samples& oriel, const samples& limits,
                             const std::map<std::string, samples>& peers,
                             const std::map<std::string, std::string>& peer_failures);

std::string print_table(const std::vector<result_row>&);
// One JSON object a line: case, ranks, bytes, oriel_ns, limit_ns, peer, peer_ns, speedup.
std::string print_json(const std::vector<result_row>&);

}  // namespace bench
