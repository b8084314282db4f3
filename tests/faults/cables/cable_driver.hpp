// Starting a stream of operations across lossy cables, from outside.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {

using words = std::vector<std::string>;

// What a job printed, and how it ended.
class cabled_job : public launched_program {
 public:
  // `at_once`: how many numbers are read and written at once, besides; none by default.
  cabled_job(std::vector<std::string> options, const std::string& seconds,
             const std::string& at_once = "0")
      : launched_program(ORIEL_CABLES, whole(std::move(options), seconds, at_once)) {}

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
  static std::vector<std::string> whole(std::vector<std::string> options,
                                        const std::string& seconds, const std::string& at_once) {
    const std::string chosen = std::to_string(seed());
    std::printf("ORIEL_TEST_SEED=%s decides which frames are lost\n", chosen.c_str());
    options.insert(options.end(), {"--seed", chosen, "--", ORIEL_STREAM_RANK, seconds, at_once});
    return options;
  }
};

inline bool cables_permitted() {
  static const bool permitted = launched_program(ORIEL_CABLES, {"--", "true"}).status() == 0;
  return permitted;
}

}  // namespace oriel::testing
