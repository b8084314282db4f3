// oriel-run under test, seen from outside.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run/launched.hpp"

namespace oriel::testing {

class launched : public launched_program {
 public:
  explicit launched(std::vector<std::string> arguments)
      : launched_program(ORIEL_RUN, std::move(arguments)) {}
};

}  // namespace oriel::testing
