// The results as rows: oriel beside the limit and each peer, with the aims that the project set.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/driver/samples.hpp"

namespace bench {

struct result_row {
  row_key key;
  std::optional<timing> oriel, limit;
  std::string peer;  // empty: none was requested
  std::optional<timing> peer_time;
  std::string peer_failure;

  [[nodiscard]] std::optional<double> speedup() const {
    if (!oriel || !peer_time) return std::nullopt;
    return peer_time->middle / oriel->middle;
  }
  [[nodiscard]] std::optional<double> times_limit() const {
    if (!oriel || !limit) return std::nullopt;
    return oriel->middle / limit->middle;
  }
};

// A row's aim; 0 where there is none.
struct aim {
  double speedup_over_openmpi = 0;
  double at_most_times_limit = 0;
};
aim aim_of(const row_key&);

// Whether a row has reached an aim: at most `factor` times the limit, or at least so many times as
// fast as a peer.
struct judgement {
  std::string beside;  // "limit", or the peer
  double factor = 0;
  bool met = false;
};
std::vector<judgement> judge(const result_row&);

// The limit's case that a case stands beside: its own, or another's of the same least work.
std::string limit_case(const std::string& name);

// One row for each of oriel's rows and each peer.
std::vector<result_row> join(const samples& oriel, const samples& limits,
                             const std::map<std::string, samples>& peers,
                             const std::map<std::string, std::string>& peer_failures);

std::string print_table(const std::vector<result_row>&);

}  // namespace bench
