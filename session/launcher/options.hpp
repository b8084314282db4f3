// What oriel-run was asked to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace oriel::launch {

enum class binding { automatic, core, none };

struct options {
  int ranks = 1;
  binding bind = binding::automatic;  // a core a rank when there are enough, else none
  bool tag = false;
  std::optional<std::string> memory_alloc_kinds;
  std::vector<std::string> command;
};

}  // namespace oriel::launch
