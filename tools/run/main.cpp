// oriel-run: starts the ranks of a job on this machine. docs/LAUNCHING.md is its manual.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "oriel/errc.hpp"
#include "oriel/memory_kinds.hpp"
#include "tools/run/command_line.hpp"
#include "tools/run/supervise.hpp"

int main(int argc, char** argv) {
  using namespace oriel::tools;
  options o;
  int ranks = 1;
  int nodes = 1;
  binding bind = binding::automatic;
  CLI::App app{"Starts the ranks of an oriel job on this machine.", "oriel-run"};
  app.add_option("-n,--ranks", ranks, "how many ranks")->required()->check(CLI::Range(1, 4096));
  app.add_option("--bind", bind, "bind each rank to a core (default: when there are enough)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, binding>{{"core", binding::core}, {"none", binding::none}}));
  app.add_option("--nodes", nodes, "pretend that the ranks run on that many nodes")
      ->check(CLI::Range(1, 4096));
  app.add_flag("--tag", o.tag, "begin each line of output with [rank]");
  app.add_option("--memory-alloc-kinds", o.memory_alloc_kinds,
                 "kinds of memory to request, as MPI's -memory-alloc-kinds");
  double timeout_s = 0;
  const CLI::Option* const timed =
      app.add_option("--timeout", timeout_s, "end the job after that many seconds (default: never)")
          ->check(CLI::Range(0.001, 1e6));
  try {
    o.command = parse_command_line(app, argc, argv);
    if (timed->count() != 0) o.timeout = seconds(timeout_s);
    if (o.memory_alloc_kinds) oriel::memory_kind_list::parse(*o.memory_alloc_kinds);
    if (nodes > ranks)
      throw oriel::error(
          oriel::errc::arg,
          fmt::format("--nodes is {} for {} ranks; valid: 1 to {}, as every node has "
                      "a rank",
                      nodes, ranks, ranks));
    return supervise(o, places_here(ranks, bind, nodes), meeting_points(ranks));
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const oriel::error& e) {
    fmt::print(stderr, "oriel-run: {}\n", e.what());
    return 2;
  }
}
