// oriel-bench: oriel, this machine's limits and the peers, measured in one run and in turn, so that
// what the machine does meanwhile falls on all of them alike.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/driver/gather.hpp"
#include "bench/driver/mpi_table.hpp"
#include "bench/driver/plan.hpp"
#include "bench/driver/plot.hpp"
#include "bench/driver/table.hpp"

namespace {

using namespace bench;

curve curve_of(const std::string& label, const samples& from, const std::string& name, int ranks) {
  curve c{label + " " + name.substr(0, 3), {}};
  for (const row_key& key : from.keys())
    if (key.name == name && key.ranks == ranks)
      c.points.emplace_back(static_cast<double>(key.bytes), *from.middle(key));
  return c;
}

std::string picture(const gatherer& all, const std::vector<std::string>& peers) {
  std::vector<curve> curves;
  for (const char* name : {"put_bw", "get_bw"}) {
    curves.push_back(curve_of("oriel", all.of("oriel"), name, 2));
    curves.push_back(curve_of("memcpy", all.of("limits"), name, 1));
    for (const std::string& peer : peers) curves.push_back(curve_of(peer, all.of(peer), name, 2));
  }
  return plot("put and get between 2 ranks of one node", curves);
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "oriel-bench: cannot write {}\n", path);
  return false;
}

bool can_measure_net(const options& o) {
  if (!std::filesystem::exists(o.bin / "oriel-limits-net")) {
    fmt::print(stderr,
               "oriel-bench: --net needs oriel-limits-net, which is built where libfabric is "
               "(Debian: libfabric-dev)\n");
    return false;
  }
  if (std::any_of(o.against.begin(), o.against.end(),
                  [](const std::string& peer) { return peer != "mpich"; })) {
    fmt::print(stderr, "oriel-bench: with --net only mpich can be measured\n");
    return false;
  }
  return true;
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

template <class Row>
bool tell(const options& o, const std::vector<Row>& rows) {
  fmt::print(stderr, "{:60}\r", "");
  fmt::print("{}", print_table(rows));
  if (rows.empty()) fmt::print(stderr, "oriel-bench: nothing was measured\n");
  return !rows.empty() && (o.json.empty() || write(o.json, print_json(rows)));
}

bool compare_with_peers(const options& o) {
  const std::vector<std::string> peers = peers_of(o);
  std::vector<std::string> everyone{"limits", "oriel"};
  everyone.insert(everyone.end(), peers.begin(), peers.end());
  gatherer all(o);
  all.run(everyone);
  std::map<std::string, samples> of_peers;
  for (const std::string& peer : peers) of_peers[peer] = all.of(peer);
  if (!tell(o, join(all.of("oriel"), all.of("limits"), of_peers, all.failures()))) return false;
  if (o.net) return true;  // one size a row: nothing to plot
  if (!write(o.svg, picture(all, peers))) return false;
  fmt::print("plot: {}\n", o.svg);
  return true;
}

bool compare_with_hosts(const options& o) {
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
  return tell(o, join_hosts(all.everyone(), all.failures()));
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Measures oriel beside this machine's limits and MPI peers."};
  app.add_option("--against", o.against, "peers: openmpi, mpich")
      ->delimiter(',')
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_flag("--net", o.net, "between nodes over the network; peers: mpich");
  app.add_flag("--mpi", o.mpi, "MPI programs with and without oriel preloaded")
      ->excludes("--net")
      ->excludes("--against");
  app.add_option("--json", o.json, "write one JSON object a row to this file");
  app.add_option("--svg", o.svg, "write the plot here (default: oriel-bench.svg beside --json)")
      ->excludes("--net")
      ->excludes("--mpi");
  app.add_option("--case", o.cases, "only these cases, separated by commas");
  app.add_option("--rounds", o.rounds, "how often each is measured")->check(CLI::Range(1, 99));
  app.add_flag("--quick", o.quick, "a tenth of the time; for trying out");
  CLI11_PARSE(app, argc, argv);
  std::error_code ignored;
  o.bin = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (o.net && !can_measure_net(o)) return 1;
  if (o.svg.empty())
    o.svg =
        (o.json.empty() ? std::filesystem::path() : std::filesystem::path(o.json).parent_path()) /
        "oriel-bench.svg";
  return (o.mpi ? compare_with_hosts(o) : compare_with_peers(o)) ? 0 : 1;
}
