// Starting a job in which something breaks, from outside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/tools/run/launched.hpp"

namespace oriel::testing {

// A job on hosts, whose ranks outlast each other: a death that is planned for much later says so.
class faulty_job : public launched_program {
 public:
  faulty_job(std::vector<std::string> options, std::vector<std::string> command)
      : launched_program(ORIEL_HOSTS, whole(std::move(options), std::move(command))) {}

  [[nodiscard]] bool said(int rank, const std::string& what) const {
    return output.find("rank " + std::to_string(rank) + ": " + what) != std::string::npos;
  }
  // The line in which `rank` said `what`, from there on; empty when it did not.
  [[nodiscard]] std::string line(int rank, const std::string& what) const {
    const auto at = output.find("rank " + std::to_string(rank) + ": " + what);
    return at == std::string::npos ? "" : output.substr(at, output.find('\n', at) - at);
  }
  // Of the line that `described` makes.
  [[nodiscard]] double seconds(int rank, const std::string& what) const {
    const std::string text = line(rank, what);
    const auto at = text.find(" after ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + 7));
  }
  // By how much the first cut came late: what follows from it is later too.
  [[nodiscard]] double late() const {
    const std::string said_so = " went down late by ";
    const auto at = output.find(said_so);
    return at == std::string::npos ? 0 : std::stod(output.substr(at + said_so.size()));
  }

 private:
  static std::vector<std::string> whole(std::vector<std::string> options,
                                        std::vector<std::string> command) {
    options.insert(options.end(), {"--timeout", "55", "--kill", "0@1000", "--"});
    options.insert(options.end(), command.begin(), command.end());
    return options;
  }
};

using words = std::vector<std::string>;

// A job whose links go down and up at planned times, once it has ended; repeated where the kernel
// was late with one, since that says nothing. It takes many seconds over a link, at times, while it
// removes the namespaces of jobs that have ended.
inline std::unique_ptr<faulty_job> cut_on_time(const words& options, const words& command) {
  for (int left = 3;; --left) {
    auto job = std::make_unique<faulty_job>(options, command);
    job->status();
    if (left == 1 || job->output.find(" late by ") == std::string::npos) return job;
  }
}

inline bool namespaces_permitted() {
  static const bool permitted =
      launched_program(ORIEL_HOSTS, {"--hosts", "2", "--require-namespaces", "true"}).status() == 0;
  return permitted;
}

}  // namespace oriel::testing
