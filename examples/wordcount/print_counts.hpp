// What a count ends with: the commonest keys for people, and every count in a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wordcount {

using counted = std::vector<std::pair<std::uint64_t, std::string>>;  // how often, and what

struct count_report {
  const char* what = "";  // "words"
  std::uint64_t tokens = 0;
  int ranks = 0;
  double seconds = 0;
  std::string explain;
  std::string file;  // for every count, one a line, the commonest first; none when empty
};

// Throws std::runtime_error when the file cannot be written.
void print_counts(counted all, const count_report&);

}  // namespace wordcount
