// Many jobs of the random-fault suite, several at a time, of shapes that take turns.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/faults/random/running_job.hpp"

namespace oriel::testing {

// Every second job has six ranks on three hosts, whose connections are the most.
job_shape shape_of_turn(std::uint64_t turn);
// "6 ranks on 3 hosts".
std::string named(const job_shape&);
// The command that runs this job once more.
std::string repeated_by(const fault_plan&);

// Until `next` has no more and the last has been judged. Deaths take time that nobody computes in,
// so `at_once` may be more than there are processors.
void run_jobs(int at_once, const job_options&,
              const std::function<std::optional<fault_plan>()>& next,
              const std::function<void(const fault_plan&, const judgement&)>& judged);

}  // namespace oriel::testing
