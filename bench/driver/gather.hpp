// Running the measuring programs again and again, in turn, and keeping what they print.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/driver/plan.hpp"
#include "bench/driver/samples.hpp"

namespace bench {

class gatherer {
 public:
  explicit gatherer(const options& o) : options_(o) {}

  // Every round measures each of `everyone` ("limits", "oriel", peers) once; each comes first,
  // second, … as often as the others, so that disturbances of the machine fall on all alike.
  void run(const std::vector<std::string>& everyone);

  // Empty of those that were not measured.
  [[nodiscard]] samples of(const std::string& who) const {
    const auto found = measured_.find(who);
    return found == measured_.end() ? samples{} : found->second;
  }
  [[nodiscard]] const std::map<std::string, samples>& everyone() const { return measured_; }
  // Why a case has no row, by "program/ranks/case".
  [[nodiscard]] const std::map<std::string, std::string>& failures() const { return failures_; }
  static std::string place(const std::string& who, int ranks, const std::string& name);

 private:
  void measure(const std::string& who, const job_size&, int round);

  const options& options_;
  std::map<std::string, samples> measured_;
  std::map<std::string, std::string> failures_;
};

}  // namespace bench
