// oriel-bench: oriel, this machine's limits and the peers, measured in one run and in turn, so that
// what the machine does meanwhile falls on all of them alike.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/driver/gather.hpp"
#include "bench/driver/json_lines.hpp"
#include "bench/driver/mpi_table.hpp"
#include "bench/driver/page.hpp"
#include "bench/driver/plan.hpp"
#include "bench/driver/plot.hpp"
#include "bench/driver/run_facts.hpp"
#include "bench/driver/table.hpp"

namespace {

using namespace bench;

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "oriel-bench: cannot write {}\n", path);
  return false;
}

// Before minutes of measuring. What it makes to see, it removes.
bool can_write(const options& o) {
  for (const std::string& path : {o.json, o.html, o.svg}) {
    if (path.empty()) continue;
    std::error_code ignored;
    const bool is_there = std::filesystem::exists(path, ignored);
    if (!std::ofstream(path, std::ios::app)) {
      fmt::print(stderr, "oriel-bench: cannot write {}: {}; nothing was measured\n", path,
                 std::strerror(errno));
      return false;
    }
    if (!is_there) std::filesystem::remove(path, ignored);
  }
  return true;
}

bool can_measure_net(const options& o) {
  if (!std::filesystem::exists(o.bin / "oriel-limits-net")) {
    fmt::print(stderr,
               "oriel-bench: --net needs oriel-limits-net, which is built where libfabric is "
               "(Debian: libfabric-dev)\n");
    return false;
  }
  return true;
}

// Whether the peers that are asked for have rows of this kind.
bool knows_peers(const options& o) {
  const std::string without = o.net ? "openmpi" : openshmem;
  if (std::find(o.against.begin(), o.against.end(), without) == o.against.end()) return true;
  fmt::print(stderr, "oriel-bench: {} can be measured {} alone; nothing was measured\n", without,
             o.net ? "without --net" : "with --net");
  return false;
}

// A misspelt name would leave its row out of a table of many.
bool knows_cases(const options& o) {
  const std::vector<std::string> complaints = complaints_of_cases(o);
  for (const std::string& complaint : complaints)
    fmt::print(stderr, "oriel-bench: {}; nothing was measured\n", complaint);
  return complaints.empty();
}

// The peers that are measured beside oriel and the limits.
std::vector<std::string> peers_of(const options& o) {
  std::vector<std::string> peers = o.against;
  // Open MPI is measured as it comes and with its faster component.
  if (std::find(peers.begin(), peers.end(), "openmpi") != peers.end())
    peers.emplace_back("openmpi-sm");
  if (o.net) peers.emplace_back(asleep);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

// Prints the rows, and writes what the options name. A run that is shown again keeps its facts.
template <class Row>
bool deliver(const options& o, const run_facts& facts, const std::vector<Row>& rows) {
  fmt::print(stderr, "{:60}\r", "");
  fmt::print("{}", print_table(rows));
  if (rows.empty()) {
    fmt::print(stderr, "oriel-bench: nothing was measured\n");
    return false;
  }
  if (!o.json.empty() && !write(o.json, print_json(facts) + print_json(rows))) return false;
  if (!o.html.empty()) {
    if (!write(o.html, page(report_of(facts, rows)))) return false;
    fmt::print("page: {}\n", o.html);
  }
  return true;
}

bool deliver_plot(const options& o, const std::vector<result_row>& rows) {
  if (!write(o.svg, plot("put and get between 2 ranks of one node", bandwidth_curves(rows))))
    return false;
  fmt::print("plot: {}\n", o.svg);
  return true;
}

bool compare_with_peers(const options& o, const run_facts& facts) {
  const std::vector<std::string> peers = peers_of(o);
  std::vector<std::string> everyone{"limits", "oriel"};
  everyone.insert(everyone.end(), peers.begin(), peers.end());
  gatherer all(o);
  all.run(everyone);
  std::map<std::string, samples> of_peers;
  for (const std::string& peer : peers) of_peers[peer] = all.of(peer);
  const auto rows = join(all.of("oriel"), all.of("limits"), of_peers, all.failures());
  if (!deliver(o, facts, rows)) return false;
  return o.net || deliver_plot(o, rows);  // between nodes, one size a row: nothing to plot
}

bool compare_with_hosts(const options& o, const run_facts& facts) {
  std::vector<std::string> everyone;
  for (const std::string& mpi : mpi_hosts(o)) {
    everyone.push_back(mpi);
    everyone.push_back(mpi + preloaded);
    if (mpi == "openmpi") everyone.emplace_back("openmpi-sm");
  }
  if (everyone.empty()) {
    fmt::print(stderr, "oriel-bench: --mpi needs MPICH or Open MPI, and oriel's library for it\n");
    return false;
  }
  gatherer all(o);
  all.run(everyone);
  return deliver(o, facts, join_hosts(all.everyone(), all.failures()));
}

bool show_again(const options& o) {
  std::ifstream file(o.from);
  if (!file) {
    fmt::print(stderr, "oriel-bench: cannot read {}\n", o.from);
    return false;
  }
  try {
    const saved_run run = read_json(file);
    if (!run.mpi_rows.empty()) return deliver(o, run.facts, run.mpi_rows);
    return deliver(o, run.facts, run.rows) && (o.svg.empty() || deliver_plot(o, run.rows));
  } catch (const std::runtime_error& e) {
    fmt::print(stderr, "oriel-bench: {}: {}\n", o.from, e.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Measures oriel beside this machine's limits and MPI peers."};
  app.add_option("--against", o.against, "peers: openmpi, mpich; with --net: mpich, openshmem")
      ->delimiter(',')
      ->check(CLI::IsMember({"openmpi", "mpich", openshmem}));
  app.add_flag("--net", o.net, "between nodes over the network");
  app.add_flag("--mpi", o.mpi, "MPI programs with and without oriel preloaded")
      ->excludes("--net")
      ->excludes("--against");
  app.add_option("--json", o.json, "write one JSON object a row to this file");
  app.add_option("--svg", o.svg, "write the plot here (default: oriel-bench.svg beside --json)")
      ->excludes("--net")
      ->excludes("--mpi");
  app.add_option("--html", o.html, "write the rows as one page for a browser to this file");
  app.add_option("--from", o.from,
                 "measure nothing: show the rows of this file, which --json wrote before")
      ->excludes("--net")
      ->excludes("--mpi")
      ->excludes("--against");
  app.add_option("--case", o.cases, "only these cases, separated by commas");
  app.add_option("--rounds", o.rounds, "how often each is measured")->check(CLI::Range(1, 99));
  app.add_flag("--quick", o.quick, "a tenth of the time; for trying out");
  CLI11_PARSE(app, argc, argv);
  std::error_code ignored;
  o.bin = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (!o.from.empty()) return show_again(o) ? 0 : 1;
  if (!knows_cases(o) || !knows_peers(o)) return 1;
  if (o.net && !can_measure_net(o)) return 1;
  if (o.svg.empty())
    o.svg =
        (o.json.empty() ? std::filesystem::path() : std::filesystem::path(o.json).parent_path()) /
        "oriel-bench.svg";
  if (!can_write(o)) return 1;
  const run_facts facts = facts_of_run(o, {argv, argv + argc});
  return (o.mpi ? compare_with_hosts(o, facts) : compare_with_peers(o, facts)) ? 0 : 1;
}
