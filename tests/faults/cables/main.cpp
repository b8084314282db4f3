// Starts the ranks of a job on two hosts that are joined by lossy cables:
//   faults.cables [--cables N] [--ranks-per-host N] [--loss P] [--loss-from S] [--loss-until S]
//                 [--seed S] [--timeout S] [--down HOST:CABLE@FROM[-UNTIL]]… [--silent
//                 CABLE@FROM[-UNTIL]]… -- COMMAND…
// `down` sets a host's end of the cable down; `silent` loses all its frames, which neither host's
// kernel notices.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "oriel/errc.hpp"
#include "tests/faults/cables/cabled_hosts.hpp"
#include "tools/run/command_line.hpp"
#include "tools/run/schedule.hpp"
#include "tools/run/supervise.hpp"

namespace oriel::testing {
namespace {

struct request {
  tools::options job;
  int cables = 1;
  int ranks_per_host = 1;
  double loss = 0, loss_from = 0, loss_until = -1;
  std::uint64_t seed = 0;
  double timeout_s = 50;
  std::vector<std::string> downs, silences;
};

struct trouble {
  int host = 0, cable = 0;
  double from = 0, until = -1;
};

trouble read_trouble(const request& r, const std::string& text, bool at_host) {
  trouble t;
  const int read =
      at_host ? std::sscanf(text.c_str(), "%d:%d@%lf-%lf", &t.host, &t.cable, &t.from, &t.until) - 1
              : std::sscanf(text.c_str(), "%d@%lf-%lf", &t.cable, &t.from, &t.until);
  if (read < 2 || t.cable < 0 || t.cable >= r.cables || t.host < 0 || t.host > 1)
    throw error(errc::arg, "no such trouble: " + text);
  return t;
}

// Says so where the kernel took long over it: what the ranks meet is another trouble then.
template <class Change>
void carry_out(Change change, bool begins) {
  if (const auto late = tools::late_by([&] { change(begins); }))
    fmt::print(stderr, "faults.cables: a trouble {} late by {:.1f} s\n", begins ? "began" : "ended",
               late->count());
}

// `change(true)` when the trouble begins, before the ranks start where that is at once, and
// `change(false)` when it ends.
template <class Change>
void plan(tools::options& job, const trouble& t, Change change) {
  if (t.from > 0)
    job.faults.push_back({tools::seconds(t.from), [change] { carry_out(change, true); }});
  else
    change(true);
  if (t.until >= 0)
    job.faults.push_back({tools::seconds(t.until), [change] { carry_out(change, false); }});
}

int run(request& r) {
  tools::obtain_right_to_namespaces();
  cabled_hosts hosts(r.cables);
  const lossy_cables cables(hosts.take_ends(), r.loss, r.seed);
  r.job.timeout = tools::seconds(r.timeout_s);
  r.job.outlast_failures = true;
  plan(r.job, {.from = r.loss_from, .until = r.loss_until},
       [&cables](bool begins) { cables.lose(begins); });
  for (const std::string& text : r.downs) {
    const trouble t = read_trouble(r, text, true);
    plan(r.job, t, [&hosts, t](bool begins) { hosts.set(t.host, t.cable, !begins); });
  }
  for (const std::string& text : r.silences) {
    const trouble t = read_trouble(r, text, false);
    plan(r.job, t, [&cables, t](bool begins) { cables.fall_silent(t.cable, begins); });
  }
  std::vector<tools::rank_placement> places;
  for (const int h : {0, 1})
    for (int i = 0; i < r.ranks_per_host; ++i)
      places.push_back({.processor = -1, .network = hosts.host(h).descriptor(), .node_id = ""});
  const auto listen = [&r, &hosts](int rank) {
    const int host = rank / r.ranks_per_host;
    tools::listener made;
    // By the last cable: the one that the tests with several leave alone.
    hosts.host(host).visit(
        [&] { made = tools::listen_on(cabled_hosts::address(host, r.cables - 1)); });
    return made;
  };
  return tools::supervise(r.job, places,
                          tools::meeting_points(static_cast<int>(places.size()), listen));
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  oriel::testing::request r;
  r.job.program = "faults.cables";
  CLI::App app{"Starts the ranks of a job on two hosts joined by lossy cables.", "faults.cables"};
  app.add_option("--cables", r.cables, "cables between the hosts")->check(CLI::Range(1, 9));
  app.add_option("--ranks-per-host", r.ranks_per_host, "ranks on each")->check(CLI::Range(1, 64));
  app.add_option("--loss", r.loss, "which part of the frames is lost")->check(CLI::Range(0., 1.));
  app.add_option("--loss-from", r.loss_from, "seconds after which that begins");
  app.add_option("--loss-until", r.loss_until, "and ends; never by default");
  app.add_option("--seed", r.seed, "decides which");
  app.add_option("--timeout", r.timeout_s, "end the job after that many seconds");
  app.add_option("--down", r.downs, "HOST:CABLE@FROM[-UNTIL]")->allow_extra_args(false);
  app.add_option("--silent", r.silences, "CABLE@FROM[-UNTIL]")->allow_extra_args(false);
  try {
    r.job.command = oriel::tools::parse_command_line(app, argc, argv);
    return oriel::testing::run(r);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const oriel::error& e) {
    fmt::print(stderr, "faults.cables: {}\n", e.what());
    return 2;
  }
}
