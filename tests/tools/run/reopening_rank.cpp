// A rank that opens the job's session twice; the one whose number is the argument ends without.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "oriel/oriel.hpp"

int main(int argc, char** argv) {
  const char* const rank = std::getenv("ORIEL_RANK");
  if (argc > 1 && rank != nullptr && std::string_view(rank) == argv[1]) return 0;
  try {
    for (int i = 0; i < 2; ++i) {
      oriel::session job;
      job.world().barrier().or_throw();
    }
  } catch (const oriel::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
  std::puts("opened twice");
  return 0;
}
