#include "tests/faults/random/campaign.hpp"

#include <chrono>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

namespace oriel::testing {

job_shape shape_of_turn(std::uint64_t turn) {
  static constexpr job_shape others[] = {{4, 2, true},  {5, 3, false}, {3, 3, true}, {6, 2, true},
                                         {5, 2, false}, {2, 2, true},  {4, 1, true}, {6, 3, false},
                                         {3, 2, false}, {6, 1, true},  {2, 1, true}};
  return turn % 2 == 0 ? job_shape{6, 3, true} : others[(turn / 2) % std::size(others)];
}

std::string named(const job_shape& s) {
  return std::to_string(s.ranks) + " ranks on " + std::to_string(s.hosts) +
         (s.network ? "" : " pretended") + (s.hosts == 1 ? " host" : " hosts");
}

std::string repeated_by(const fault_plan& p) {
  return "./run soak 0 --seed " + std::to_string(p.seed) + " --ranks " +
         std::to_string(p.shape.ranks) + " --hosts " + std::to_string(p.shape.hosts) +
         (p.shape.network ? "" : " --pretended") + (p.late_accesses ? "" : " --prompt");
}

void run_jobs(int at_once, const job_options& options,
              const std::function<std::optional<fault_plan>()>& next,
              const std::function<void(const fault_plan&, const judgement&)>& judged) {
  std::vector<std::unique_ptr<running_job>> running;
  for (bool more = true; more || !running.empty();) {
    while (more && running.size() < static_cast<std::size_t>(at_once)) {
      const auto plan = next();
      more = plan.has_value();
      if (more) running.push_back(std::make_unique<running_job>(*plan, options));
    }
    for (auto& job : running) {
      const auto j = job->poll();
      if (!j) continue;
      judged(job->plan(), *j);
      job.reset();
    }
    std::erase(running, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace oriel::testing
