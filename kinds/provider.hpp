// The kinds of memory that this build can provide: one file and one line of the registry each.
#pragma once

#include <set>
#include <span>
#include <string>

namespace oriel::kinds {

struct provider {
  std::string kind;
  std::set<std::string> restrictors;  // all that the kind defines
};

// `system`: memory of the operating system and the language. `mpi`: memory that oriel allocates.
std::span<const provider> providers();

}  // namespace oriel::kinds
