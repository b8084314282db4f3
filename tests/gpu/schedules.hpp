// The command line of a test that runs kernels under many schedules of the test driver:
//
//   PROGRAM [--mix NAME] [--from SEED] [--seeds N] [--policy NAME] [--expect-failure]
//
// With --expect-failure some seed must fail: for kernels that ORIEL_TEST_MUTANT has broken.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace oriel::testing {

struct schedules {
  std::string only, policy;  // empty: all mixes; the driver's own policy
  std::uint64_t from = 1, seeds = 20;
  bool failure_wanted = false;

  static std::optional<schedules> asked_for(int argc, char** argv) {
    schedules s;
    for (int i = 1; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--expect-failure") {
        s.failure_wanted = true;
      } else if (i + 1 == argc) {
        return std::nullopt;
      } else if (option == "--mix") {
        s.only = argv[++i];
      } else if (option == "--policy") {
        s.policy = std::string(":") + argv[++i];
      } else {
        (option == "--from" ? s.from : s.seeds) = std::strtoull(argv[++i], nullptr, 10);
      }
    }
    return s;
  }

  // Kernels from now on run under this seed.
  void begin(std::uint64_t seed) const {
    setenv("ORIEL_TEST_SCHEDULE", (std::to_string(seed) + policy).c_str(), 1);
  }

  // Runs each of `mixes`, which have names, up to the first seed that fails, and says how to repeat
  // that: `wrong(mix, seed)` begins it, and returns what is wrong. Returns the program's exit
  // status.
  template <class Mixes, class Wrong>
  int run(const char* program, const Mixes& mixes, Wrong wrong) const {
    std::uint64_t made = 0, failed = 0;
    for (const auto& mix : mixes) {
      if (!only.empty() && only != mix.name) continue;
      for (std::uint64_t seed = from; seed < from + seeds; ++seed, ++made) {
        const std::string why = wrong(mix, seed);
        if (why.empty()) continue;
        ++failed;
        if (failure_wanted) {
          std::printf("%s: seed %llu shows it\n", mix.name, static_cast<unsigned long long>(seed));
          return 0;
        }
        std::fprintf(stderr, "%s: --mix %s --from %llu --seeds 1%s%s: %s\n", program, mix.name,
                     static_cast<unsigned long long>(seed), policy.empty() ? "" : " --policy ",
                     policy.empty() ? "" : policy.c_str() + 1, why.c_str());
        break;
      }
    }
    std::printf("%llu schedules, %llu failed\n", static_cast<unsigned long long>(made),
                static_cast<unsigned long long>(failed));
    return made == 0 || failure_wanted || failed != 0 ? 1 : 0;
  }
};

}  // namespace oriel::testing
