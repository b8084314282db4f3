// Starting a stream of operations across lossy cables, from outside.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/seed.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {

using words = std::vector<std::string>;

// What a job printed, and how it ended. A trouble that is planned for later is to begin once the
// session is open, and as long before it ends as is planned. Where much else runs both may fail,
// which says nothing: then the job is repeated.
class cabled_job {
 public:
  // `at_once`: how many numbers are read and written at once, besides; none by default.
  cabled_job(const words& options, const std::string& seconds, const std::string& at_once = "0") {
    const int tries = begins_later(options) ? 3 : 1;
    for (int left = tries; left > 0; --left) {
      launched_program job(ORIEL_CABLES, whole(options, seconds, at_once));
      status_ = job.status();
      output = std::move(job.output);
      if (output.find("stopped by ") == std::string::npos &&
          output.find(" late by ") == std::string::npos)
        return;
    }
  }
  [[nodiscard]] int status() const { return status_; }
  std::string output;

  [[nodiscard]] bool said(int rank, const std::string& what) const {
    return output.find("rank " + std::to_string(rank) + ": " + what) != std::string::npos;
  }
  // The number behind `words`; -1 where they were not printed.
  [[nodiscard]] double number(const std::string& words) const {
    const auto at = output.find(words);
    return at == std::string::npos ? -1 : std::stod(output.substr(at + words.size()));
  }
  [[nodiscard]] double passed(int cable) const {
    return number("cable " + std::to_string(cable) + ": ");
  }
  [[nodiscard]] double lost(int cable) const {
    const auto at = output.find("cable " + std::to_string(cable) + ": ");
    const auto passed = at == std::string::npos ? at : output.find(" passed, ", at);
    return passed == std::string::npos ? -1 : std::stod(output.substr(passed + 9));
  }

 private:
  // Of `--down 1:0@4`, `--silent 0@4` and `--loss-from 4`.
  static bool begins_later(const words& options) {
    bool later = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const auto at = options[i].find('@');
      if (at != std::string::npos) later |= std::stod(options[i].substr(at + 1)) > 0;
      if (options[i] == "--loss-from") later |= std::stod(options[i + 1]) > 0;
    }
    return later;
  }
  static words whole(words options, const std::string& seconds, const std::string& at_once) {
    const std::string chosen = std::to_string(seed());
    std::printf("ORIEL_TEST_SEED=%s decides which frames are lost\n", chosen.c_str());
    options.insert(options.end(), {"--seed", chosen, "--", ORIEL_STREAM_RANK, seconds, at_once});
    return options;
  }

  int status_ = -1;
};

inline bool cables_permitted() {
  static const bool permitted = launched_program(ORIEL_CABLES, {"--", "true"}).status() == 0;
  return permitted;
}

}  // namespace oriel::testing
