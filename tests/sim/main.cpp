// simulate: runs protocols of sync/, and whole sessions, from seeds, under simulated time and
// schedules (./run simulate).
#include <sys/prctl.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/protocols/all.hpp"
#include "tests/sim/simulate.hpp"
#include "tests/sim/whole_number.hpp"

namespace {

using namespace oriel::sim;

constexpr const char* usage =
    R"(usage: simulate [--protocol NAME] [--seeds N] [--from SEED] [--ranks P]
                [--faults none|light|heavy] [--smallest yes|no]
Runs each protocol from the seeds SEED, SEED + 1, ...: random programs of up to P ranks (2 to 8;
4 unless told), whose steps come in an order that the seed decides. Faults are all
of them in turn where none are named. Exits with 1 at the first run that fails, and prints its seed
and, unless told not to look for it, the smallest program that fails.
)";

struct request {
  std::string protocol;
  std::uint64_t seeds = 2000;
  std::uint64_t from = 1;
  int ranks = 4;
  std::optional<faults> only;
  bool smallest = true;
};

std::optional<faults> named(const std::string& word) {
  if (word == "none") return faults::none;
  if (word == "light") return faults::light;
  if (word == "heavy") return faults::heavy;
  return std::nullopt;
}

// Returns false where the command line is not understood, or the last seed would be beyond 64 bits.
bool read(int argc, char** argv, request& r) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--protocol") {
      r.protocol = value;
    } else if (option == "--faults") {
      if (!(r.only = named(value))) return false;
    } else if (option == "--smallest") {
      if (value != "yes" && value != "no") return false;
      r.smallest = value == "yes";
    } else if (option == "--seeds") {
      r.seeds = whole_number<std::uint64_t>(value, 1, most).value_or(0);
    } else if (option == "--from") {
      r.from = whole_number<std::uint64_t>(value, 0, most).value_or(most);
    } else if (option == "--ranks") {
      r.ranks = whole_number(value, 2, 8).value_or(0);
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && r.seeds != 0 && r.ranks != 0 && r.from < most - r.seeds;
}

// Returns whether all seeds are well.
bool runs_well(const protocol& what, const request& r) {
  std::uint64_t steps = 0, mixed = 0;
  for (std::uint64_t seed = r.from; seed < r.from + r.seeds; ++seed) {
    conditions how;
    how.seed = seed;
    how.most_ranks = r.ranks;
    how.suffered = r.only ? *r.only : static_cast<faults>(seed % 3);
    const verdict v = run_seed(what, how);
    steps += v.steps;
    mixed = (mixed ^ v.trace) * 0x100000001b3;
    if (v.how == ending::ended) continue;
    const std::string text =
        r.smallest ? failure_of(what, how).value_or(failure_of(what, how, v) + ", once of twice")
                   : failure_of(what, how, v);
    std::fprintf(stderr, "simulate: %s\n", text.c_str());
    return false;
  }
  std::printf("%-18s %llu seeds, %llu steps, trace %016llx\n", what.name(),
              static_cast<unsigned long long>(r.seeds), static_cast<unsigned long long>(steps),
              static_cast<unsigned long long>(mixed));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  request r;
  if (!read(argc, argv, r)) {
    std::fputs(usage, stderr);
    return 2;
  }
  // A run's memory is compared with what is enough, whatever pages the machine gives.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  std::vector<std::unique_ptr<protocol>> all = simulated_protocols();
  bool any = false;
  for (const auto& one : all) {
    if (!r.protocol.empty() && r.protocol != one->name()) continue;
    any = true;
    if (!runs_well(*one, r)) return 1;
  }
  if (!any) std::fprintf(stderr, "simulate: no protocol is called %s\n", r.protocol.c_str());
  return any ? 0 : 2;
}
