// oriel-bench: oriel, this machine's limits and the peers, measured in one run and in turn, so that
// what the machine does meanwhile falls on all of them alike.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/driver/child.hpp"
#include "bench/driver/plan.hpp"
#include "bench/driver/plot.hpp"
#include "bench/driver/table.hpp"

namespace {

using namespace bench;

class measurement {
 public:
  explicit measurement(const options& o) : options_(o) {
    for (const std::string& peer : o.against) peers_[peer];
    // Open MPI is measured as it comes and with its faster component.
    if (peers_.count("openmpi") != 0) peers_["openmpi-sm"];
    if (o.net) peers_[asleep];
  }

  void run() {
    for (int round = 0; round < options_.rounds; ++round) {
      std::vector<std::string> turn{"limits", "oriel"};
      for (const auto& [peer, measured] : peers_) turn.push_back(peer);
      // Each comes first, second, … as often as the others.
      std::rotate(turn.begin(), turn.begin() + round % static_cast<int>(turn.size()), turn.end());
      for (const job_size& size : job_sizes(options_))
        for (const std::string& who : turn) measure(who, size, round);
    }
  }

  [[nodiscard]] std::vector<result_row> rows() const {
    return join(oriel_, limits_, peers_, failures_);
  }

  [[nodiscard]] std::string picture() const {
    std::vector<curve> curves;
    for (const char* name : {"put_bw", "get_bw"}) {
      curves.push_back(curve_of("oriel ", oriel_, name, 2));
      curves.push_back(curve_of("memcpy ", limits_, name, 1));
      for (const auto& [peer, measured] : peers_)
        curves.push_back(curve_of(peer + " ", measured, name, 2));
    }
    return plot("put and get between 2 ranks of one node", curves);
  }

 private:
  // What the limits call these cases; in the order in which they measure.
  static std::vector<std::string> limit_cases(const std::vector<std::string>& cases) {
    std::vector<std::string> names;
    for (const std::string& c : cases)
      if (const std::string name = limit_case(c);
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return names;
  }

  static curve curve_of(const std::string& who, const samples& from, const std::string& name,
                        int ranks) {
    curve c{who + name.substr(0, 3), {}};
    for (const row_key& key : from.keys())
      if (key.name == name && key.ranks == ranks)
        c.points.emplace_back(static_cast<double>(key.bytes), *from.middle(key));
    return c;
  }

  void measure(const std::string& who, const job_size& size, int round) {
    if (who == "limits" && !size.has_limits) return;
    samples& into = who == "limits" ? limits_ : who == "oriel" ? oriel_ : peers_[who];
    std::vector<std::string> wanted = chosen(options_.cases, size.cases);
    if (who == "limits") wanted = limit_cases(wanted);
    // A case that a peer could not finish once is not tried at that size again.
    std::erase_if(wanted, [&](const std::string& c) {
      return failures_.count(place(who, size.ranks, c)) != 0;
    });
    while (!wanted.empty()) {
      fmt::print(stderr, "round {} of {}: {} on {} ranks        \r", round + 1, options_.rounds,
                 who, size.ranks);
      const child_result result = run_child(launch(options_, who, size.ranks, wanted),
                                            std::chrono::seconds(options_.quick ? 20 : 60));
      samples got;
      got.take(result.out);
      into.take(result.out);
      if (result.failure.empty()) return;
      // The programs measure in the order of the list: the first without a row is the culprit.
      const auto measured = got.keys();
      std::erase_if(wanted, [&](const std::string& c) {
        return std::any_of(measured.begin(), measured.end(),
                           [&c](const row_key& k) { return k.name == c; });
      });
      if (wanted.empty()) return;
      failures_[place(who, size.ranks, wanted.front())] = result.failure;
      fmt::print(stderr, "\n{} on {} ranks, {}: {}\n", who, size.ranks, wanted.front(),
                 result.failure);
      wanted.erase(wanted.begin());
    }
  }

  static std::string place(const std::string& who, int ranks, const std::string& name) {
    return who + "/" + std::to_string(ranks) + "/" + name;
  }

  const options& options_;
  samples oriel_, limits_;
  std::map<std::string, samples> peers_;
  std::map<std::string, std::string> failures_;
};

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

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Measures oriel beside this machine's limits and MPI peers."};
  app.add_option("--against", o.against, "peers: openmpi, mpich")
      ->delimiter(',')
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_flag("--net", o.net, "between nodes over the network; peers: mpich");
  app.add_option("--json", o.json, "write one JSON object a row to this file");
  app.add_option("--svg", o.svg, "write the plot here (default: oriel-bench.svg beside --json)")
      ->excludes("--net");
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
  measurement m(o);
  m.run();
  const auto rows = m.rows();
  fmt::print(stderr, "{:60}\r", "");
  fmt::print("{}", print_table(rows));
  if (rows.empty()) {
    fmt::print(stderr, "oriel-bench: nothing was measured\n");
    return 1;
  }
  if (!o.json.empty() && !write(o.json, print_json(rows))) return 1;
  if (o.net) return 0;  // one size a row: nothing to plot
  if (!write(o.svg, m.picture())) return 1;
  fmt::print("plot: {}\n", o.svg);
  return 0;
}
