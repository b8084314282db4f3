// A fuzz target as an ordinary test.
//
//   fuzz.<name>              checks the seeds and 20 000 mutations of them, the same in every run
//   fuzz.<name> --seeds DIR  writes the seeds to files there, where the fuzzer begins
//   fuzz.<name> FILE…        checks these inputs, a fuzzer's finds for example
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/fuzz/mutation.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using oriel::fuzz::broken_invariant;

constexpr int mutations = 20'000;

bool holds(const std::string& input) {
  try {
    oriel::fuzz::check(input);
    return true;
  } catch (const broken_invariant& broken) {
    std::fprintf(stderr, "broken invariant: %s\nby the input (hexadecimal) ", broken.what());
    for (const char c : input) std::fprintf(stderr, "%02x", static_cast<unsigned char>(c));
    std::fprintf(stderr, "\n");
    return false;
  }
}

int write_seeds(const std::string& folder) {
  int n = 0;
  for (const std::string& seed : oriel::fuzz::seeds()) {
    const std::string path = folder + "/seed" + std::to_string(n++);
    if (!(std::ofstream(path, std::ios::binary) << seed)) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      return 1;
    }
  }
  return 0;
}

int check_files(char** begin, char** end) {
  bool all_hold = true;
  for (char** path = begin; path != end; ++path) {
    std::ifstream file(*path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", *path);
      return 1;
    }
    all_hold = holds({std::istreambuf_iterator<char>(file), {}}) && all_hold;
  }
  return all_hold ? 0 : 1;
}

int check_mutations() {
  const std::vector<std::string> seeds = oriel::fuzz::seeds();
  if (seeds.empty()) {
    std::puts("nothing to check: this machine lacks what the target needs");
    return 0;
  }
  for (const std::string& seed : seeds)
    if (!holds(seed)) return 1;
  oriel::fuzz::mutator mutator(1);
  for (int i = 0; i < mutations; ++i) {
    const std::string& seed = seeds[mutator.below(seeds.size())];
    if (!holds(mutator.mutated(seed, seeds[mutator.below(seeds.size())]))) return 1;
  }
  std::printf("%zu seeds and %d mutations hold\n", seeds.size(), mutations);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--seeds") return write_seeds(argv[2]);
  if (argc > 1) return check_files(argv + 1, argv + argc);
  return check_mutations();
}
