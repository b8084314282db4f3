// oriel-bench: oriel, this machine's limits and the peers, measured in one run and in turn, so that
// what the machine does meanwhile falls on all of them alike.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "bench/driver/child.hpp"
#include "bench/driver/plot.hpp"
#include "bench/driver/table.hpp"

namespace {

using namespace bench;

struct options {
  std::vector<std::string> against;
  std::string json, svg, cases;
  int rounds = 5;
  bool quick = false;
  std::filesystem::path bin;
};

// What each number of ranks measures.
struct job_size {
  int ranks;
  const char* cases;
};
constexpr const char* solo_cases =
    "put_flush,put_rate,get_flush,fetch_add,compare_swap,accumulate,put_bw,get_bw,acc_1m,"
    "lock_put_unlock,fence,pscw,construct,fetch_add_bare,compare_swap_bare,hash_insert,"
    "hash_find,hash_find_batch,put_static,put_mapped,put_all,put_dynamic,put_dynamic_all,"
    "get_static,get_mapped,get_all,get_dynamic,get_dynamic_all,fetch_add_static,fetch_add_mapped,"
    "fetch_add_all,fetch_add_dynamic,fetch_add_dynamic_all,lock_put_unlock_all,fence_all";
constexpr job_size sizes[] = {
    {2, solo_cases},
    {4, "fence4,lock_contention4,fetch_add4"},
    {8, "construct"},
    {32, "construct"},
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The cases that are both asked for (none: all) and measured at this size.
std::vector<std::string> chosen(const std::string& asked, const std::string& measured) {
  std::vector<std::string> cases = split(measured);
  const std::vector<std::string> wanted = split(asked);
  if (!wanted.empty())
    std::erase_if(cases, [&wanted](const std::string& c) {
      return std::find(wanted.begin(), wanted.end(), c) == wanted.end();
    });
  return cases;
}

std::vector<std::string> launch(const options& o, const std::string& who, int ranks) {
  const std::string n = std::to_string(ranks);
  const auto bin = [&o](const std::string& name) { return (o.bin / name).string(); };
  if (who == "limits") return {bin("oriel-limits")};
  if (who == "oriel") return {bin("oriel-run"), "-n", n, bin("oriel-bench-rows")};
  const std::string mpi = who.substr(0, who.find('-'));
  std::vector<std::string> words{"mpiexec." + mpi};
  if (mpi == "openmpi") {
    words.emplace_back("--oversubscribe");
    if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
    // Its shared-memory component, which is not the one that it chooses by itself.
    if (who == "openmpi-sm") words.insert(words.end(), {"--mca", "osc", "sm"});
  }
  words.insert(words.end(), {"-n", n, bin("oriel-peer-" + mpi)});
  return words;
}

class measurement {
 public:
  explicit measurement(const options& o) : options_(o) {
    for (const std::string& peer : o.against) peers_[peer];
    // Open MPI is measured as it comes and with its faster component.
    if (peers_.count("openmpi") != 0) peers_["openmpi-sm"];
  }

  void run() {
    for (int round = 0; round < options_.rounds; ++round) {
      std::vector<std::string> turn{"limits", "oriel"};
      for (const auto& [peer, measured] : peers_) turn.push_back(peer);
      // Each comes first, second, … as often as the others.
      std::rotate(turn.begin(), turn.begin() + round % static_cast<int>(turn.size()), turn.end());
      for (const job_size& size : sizes)
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
  static curve curve_of(const std::string& who, const samples& from, const std::string& name,
                        int ranks) {
    curve c{who + name.substr(0, 3), {}};
    for (const row_key& key : from.keys())
      if (key.name == name && key.ranks == ranks)
        c.points.emplace_back(static_cast<double>(key.bytes), *from.middle(key));
    return c;
  }

  void measure(const std::string& who, const job_size& size, int round) {
    if (who == "limits" && size.ranks != 2) return;
    samples& into = who == "limits" ? limits_ : who == "oriel" ? oriel_ : peers_[who];
    std::vector<std::string> wanted = chosen(options_.cases, size.cases);
    // A case that a peer could not finish once is not tried at that size again.
    std::erase_if(wanted, [&](const std::string& c) {
      return failures_.count(place(who, size.ranks, c)) != 0;
    });
    while (!wanted.empty()) {
      fmt::print(stderr, "round {} of {}: {} on {} ranks        \r", round + 1, options_.rounds,
                 who, size.ranks);
      auto command = launch(options_, who, size.ranks);
      command.insert(command.end(), {"--case", fmt::format("{}", fmt::join(wanted, ",")),
                                     "--seconds", options_.quick ? "0.01" : "0.1"});
      const child_result result =
          run_child(command, std::chrono::seconds(options_.quick ? 20 : 60));
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

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Measures oriel beside this machine's limits and MPI peers."};
  app.add_option("--against", o.against, "peers: openmpi, mpich")
      ->delimiter(',')
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_option("--json", o.json, "write one JSON object a row to this file");
  app.add_option("--svg", o.svg, "write the plot here (default: oriel-bench.svg beside --json)");
  app.add_option("--case", o.cases, "only these cases, separated by commas");
  app.add_option("--rounds", o.rounds, "how often each is measured")->check(CLI::Range(1, 99));
  app.add_flag("--quick", o.quick, "a tenth of the time; for trying out");
  CLI11_PARSE(app, argc, argv);
  std::error_code ignored;
  o.bin = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
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
  if (!write(o.svg, m.picture())) return 1;
  fmt::print("plot: {}\n", o.svg);
  return 0;
}
