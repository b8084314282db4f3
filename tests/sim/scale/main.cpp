// sim-scale: what operations cost on very many nodes, by the library itself in simulated time
// (docs/SCALING.md).
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/sim/scale/allowed.hpp"
#include "tests/sim/scale/scaled_job.hpp"
#include "tests/sim/scale/stand_ins.hpp"
#include "tests/sim/whole_number.hpp"

namespace {

using namespace oriel::sim;

constexpr const char* usage =
    R"(usage: sim-scale [--nodes N] [--ranks-a-node C] [--machine flat|fat-tree|dragonfly] [--times T]
                 [--leaders-only yes|no]
Runs a job of N nodes with C ranks on each, and prints for each operation: the messages of the rank
that sends most, and what half of the ranks do not exceed, each with the model's; those of all; the
bytes of the rank that sends most; and how long it takes on that machine, in microseconds. Exits with 1
where messages exceed the model of docs/SCALING.md.
  --leaders-only yes: of each node the first rank alone runs. Its C - 1 others are stood for where the
  ranks of a node meet in shared memory, and send nothing. C is 9 or more.
)";

// Far beyond what the memory of a machine has room for, and sums of it fit into an int.
constexpr int most_ranks = 10'000'000;

struct request {
  job_shape shape;
  std::string machine = "flat";
};

bool read(int argc, char** argv, request& r) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string word = argv[i + 1];
    const int number = whole_number(word, 1, most_ranks).value_or(0);
    if (option == "--machine") {
      r.machine = word;
    } else if (option == "--leaders-only" && (word == "yes" || word == "no")) {
      r.shape.leaders_only = word == "yes";
    } else if (number == 0) {
      return false;
    } else if (option == "--nodes" && number >= 2) {
      r.shape.nodes = number;
    } else if (option == "--ranks-a-node") {
      r.shape.ranks_a_node = number;
    } else if (option == "--times") {
      r.shape.times = number;
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && r.shape.nodes <= most_ranks / r.shape.ranks_a_node &&
         (!r.shape.leaders_only || r.shape.ranks_a_node >= fewest_stood_for);
}

// Each rank opens its node's memory file. Beyond the hard limit only for who may raise it.
void allow_many_files(int ranks) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t most = std::max(static_cast<rlim_t>(ranks) + 1000, files.rlim_max);
  const rlimit more{most, most};
  if (setrlimit(RLIMIT_NOFILE, &more) == 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// A process may have some ten thousand mappings, and malloc makes one of each larger block.
void allow_many_blocks() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace

int main(int argc, char** argv) {
  request r;
  if (!read(argc, argv, r)) {
    std::fputs(usage, stderr);
    return 2;
  }
  std::string why_not;
  const auto machine = machine_named(r.machine, r.shape.nodes, why_not);
  if (!machine) {
    std::fprintf(stderr, "sim-scale: %s\n", why_not.c_str());
    return 2;
  }
  allow_many_files(r.shape.running());
  allow_many_blocks();
  const job_costs costs = costs_of(r.shape, *machine);
  std::printf("# %d nodes of %d ranks, %s (%s)\n", r.shape.nodes, r.shape.ranks_a_node,
              machine->name.c_str(), machine->source.c_str());
  if (r.shape.leaders_only)
    std::printf("# the nodes' leaders alone; their other ranks are stood for, and send nothing\n");
  std::printf("# opened by %zu gathers of %zu bytes in all; %.0f bytes of heap a process\n",
              costs.gathers, costs.gathered_bytes, costs.heap_bytes);
  std::printf("%-24s %8s %8s %8s %8s %10s %10s %10s\n", "operation", "most", "model", "median",
              "model", "all", "bytes", "us");
  for (const meter::row& c : costs.rows) {
    const auto model = allowed(c.what, r.shape, machine->provider).value_or(allowed_messages{});
    std::printf("%-24s %8.1f %8.1f %8.1f %8.1f %10.1f %10.0f %10.2f\n", c.what.c_str(),
                c.most_messages, model.most, c.median_messages, model.median, c.all_messages,
                c.most_bytes, c.microseconds);
  }
  const auto wrong = excesses(costs.rows, r.shape, machine->provider);
  for (const std::string& sentence : wrong)
    std::fprintf(stderr, "sim-scale: %s\n", sentence.c_str());
  std::fflush(stdout);
  std::_Exit(wrong.empty() ? 0 : 1);  // fibers have not ended, nor do their objects
}
