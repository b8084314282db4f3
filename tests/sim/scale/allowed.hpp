// The model of docs/SCALING.md, in numbers: how many messages each operation may take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/sim/scale/meter.hpp"
#include "tests/sim/scale/scaled_job.hpp"

namespace oriel::sim {

struct allowed_messages {
  double most = 0;    // of one rank
  double median = 0;  // of half of the ranks
  double all = 0;
  double bytes = 0;  // of one rank; 0: not limited
};

// Nothing for what the model does not have.
std::optional<allowed_messages> allowed(const std::string& what, const job_shape&,
                                        const provider_traits&);

// What exceeds the model, a sentence each.
std::vector<std::string> excesses(const std::vector<meter::row>&, const job_shape&,
                                  const provider_traits&);

}  // namespace oriel::sim
