// oriel-info: what oriel finds on this host, and what a job that runs here does. docs/PROVIDERS.md
// describes its first section, docs/STATISTICS.md the latter.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "oriel/errc.hpp"
#include "tools/info/drawing.hpp"
#include "tools/info/probe.hpp"
#include "tools/info/sections.hpp"
#include "tools/info/statistics_table.hpp"
#include "tools/info/text.hpp"
#include "tools/info/watch.hpp"

namespace {

// What the options request of a running job, or of its file.
struct job_request {
  pid_t watched = 0, stuck = 0;
  bool once = false;
  std::string statistics;
  [[nodiscard]] bool any() const { return watched != 0 || stuck != 0 || !statistics.empty(); }
};

// Returns the program's exit code: of --stuck 1 where some rank waits.
int look_at_job(const job_request& request, bool as_json) {
  using namespace oriel::tools;
  if (!request.statistics.empty()) {
    fmt::print("{}", statistics_table(request.statistics));
    return 0;
  }
  if (request.stuck == 0 && !request.once && !as_json) {
    watch(request.watched);
    return 0;
  }
  const watched_job job(request.stuck != 0 ? request.stuck : request.watched);
  const auto ranks = job.look(steady_now());
  const std::string stuck = request.stuck != 0 ? stuck_text(ranks) : "";
  if (as_json)
    fmt::print("{}\n", oriel::tools::as_json(ranks).dump(2));
  else if (request.stuck == 0)
    fmt::print("{}", table_of(ranks, {}, 0));
  else
    fmt::print("{}", stuck.empty() ? "no rank waits in a window or team of oriel's\n" : stuck);
  return stuck.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace oriel::tools;
  bool providers = false, kinds = false, topology = false, environment = false, as_json = false;
  std::vector<std::string> names;
  std::string svg;
  pid_t drawn_job = 0;
  double patience = 4;
  job_request of_job;
  const CLI::Range a_process(1, std::numeric_limits<pid_t>::max(), "PROCESS");
  CLI::App app{
      "Reports what oriel finds on this host; without an option for a section, all of them.",
      "oriel-info"};
  app.add_flag("--providers", providers, "libfabric's providers: what they claim and what they do");
  app.add_flag("--kinds", kinds, "kinds of memory");
  app.add_flag("--topology", topology, "processors and memory");
  app.add_option("--svg", svg, "have hwloc's lstopo draw them into this file")->needs("--topology");
  app.add_option("--job", drawn_job,
                 "in the drawing, show where the ranks of this running job may run: the number of "
                 "a rank's process, of oriel-run or of mpiexec")
      ->needs("--svg")
      ->check(a_process);
  app.add_flag("--environment", environment, "variables that oriel reads");
  app.add_flag("--json", as_json, "print JSON");
  app.add_option("--provider", names, "only this provider, as 'tcp;ofi_rxm'; may be repeated")
      ->needs("--providers");
  app.add_option("--patience", patience, "seconds that each trial of a provider may take")
      ->check(CLI::Range(0.1, 60.0));
  app.add_option("--watch", of_job.watched,
                 "show what the ranks of a running job do, every second: the number of a rank's "
                 "process, of oriel-run or of mpiexec")
      ->check(a_process);
  app.add_flag("--once", of_job.once, "show it once")->needs("--watch");
  app.add_option("--stuck", of_job.stuck,
                 "which ranks of a running job wait, for what, and whose turn it is; exits with 1 "
                 "where some rank waits")
      ->check(a_process);
  app.add_option("--statistics", of_job.statistics,
                 "the table of each job that wrote into this file (ORIEL_STATS)");
  try {
    app.parse(argc, argv);
    if (of_job.any()) return look_at_job(of_job, as_json);
    const bool all = !providers && !kinds && !topology && !environment;
    // First, so that the trials' processes are forked from one that has loaded nothing yet.
    nlohmann::ordered_json found;
    if (all || providers)
      found["providers"] =
          providers_section(names, std::chrono::milliseconds(static_cast<long>(patience * 1000)));
    if (all || kinds) found["kinds"] = kinds_section();
    if (all || topology) found["topology"] = topology_section();
    if (!svg.empty()) {
      draw_topology(svg, drawn_job);
      found["topology"]["drawing"] = svg;
    }
    if (all || environment) found["environment"] = environment_section();
    if (as_json) {
      fmt::print("{}\n", found.dump(2));
      return 0;
    }
    std::string text;
    const auto add = [&](const char* key, auto render) {
      if (found.contains(key)) text += (text.empty() ? "" : "\n") + render(found[key]);
    };
    add("providers", providers_text);
    add("kinds", kinds_text);
    add("topology", topology_text);
    add("environment", environment_text);
    fmt::print("{}", text);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const oriel::error& e) {
    fmt::print(stderr, "oriel-info: {}\n", e.what());
    return 2;
  }
}
