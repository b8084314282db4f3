// The command line of both counting programs, and how they end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace wordcount {

struct options {
  std::vector<std::filesystem::path> files{};
  int kmer = 0;                // their length; 0: words are counted
  std::uint64_t capacity = 0;  // distinct keys to make room for; 0: the program guesses
  std::string counts{};        // write every count to this file
};

struct program {
  const char* name;
  const char* description;
  const char* files;  // what they are
  bool files_required;
  options defaults;
  // Returns the exit code; what it throws is printed, and the code is then 1.
  int (*run)(const options&, int argc, char** argv);
};

// The exit code of main.
int run_program(const program&, int argc, char** argv);

}  // namespace wordcount
