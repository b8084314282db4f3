// The variables of the environment that oriel reads: the one table of them. A test finds the reads
// in the sources and compares.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace oriel::tools {

struct variable_entry {
  std::string_view name;
  std::string_view default_value;  // empty: not set means that it has no effect
  std::string_view meaning;
  bool secret = false;  // the value is not shown
};

std::span<const variable_entry> variables();

}  // namespace oriel::tools
