// The variables of the environment that oriel reads: the one table of them. A test finds the reads
// in the sources and compares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::sessions {

struct variable_entry {
  std::string_view name;
  std::string_view default_value;  // empty: not set means that it has no effect
  std::string_view meaning;
  bool secret = false;  // the value is not shown
};

std::span<const variable_entry> known_variables();

// Returns a sentence for each variable of `environment` ("NAME=value", ends with null) whose name
// begins with ORIEL_ and that nothing reads, with the known name that is nearest. Names that begin
// with ORIEL_TEST_ are the tests'.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace oriel::sessions
