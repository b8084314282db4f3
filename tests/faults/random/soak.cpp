// Jobs of the random-fault suite, one after another, until the time is over: what `./run soak`
// starts. docs/CHECKING.md is its manual.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>

#include "tests/faults/random/campaign.hpp"

namespace oriel::testing {
namespace {

struct request {
  double minutes = 0;
  std::uint64_t seed = 0;
  int ranks = 0, hosts = 0;
  bool pretended = false;
  bool prompt = false;
  int at_once = 2;
  std::uint64_t times = 1;  // of the one job
  job_options job;
};

struct counts {
  int jobs = 0, kills = 0;
  std::array<int, verdicts> of{};
};

void print_table(const std::map<std::string, counts>& table) {
  fmt::print("{:<32}{:>7}{:>7}", "", "jobs", "kills");
  for (int v = 0; v < verdicts; ++v) fmt::print("{:>9}", name(static_cast<verdict>(v)));
  fmt::print("\n");
  for (const auto& [shape, c] : table) {
    fmt::print("{:<32}{:>7}{:>7}", shape, c.jobs, c.kills);
    for (const int n : c.of) fmt::print("{:>9}", n);
    fmt::print("\n");
  }
}

int run(const request& r) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::duration<double>(r.minutes * 60);
  const bool one = r.minutes <= 0;
  std::uint64_t turn = 0;
  const auto next = [&]() -> std::optional<fault_plan> {
    if (one ? turn >= r.times : clock::now() >= until) return std::nullopt;
    const job_shape shape =
        r.ranks == 0 ? shape_of_turn(turn)
                     : job_shape{r.ranks, r.hosts, !r.pretended && r.ranks % r.hosts == 0};
    fault_plan plan = make_plan(one ? r.seed : r.seed + turn, shape);
    plan.late_accesses = !r.prompt;
    ++turn;
    return plan;
  };
  std::map<std::string, counts> table;
  bool failed = false;
  const auto judged = [&](const fault_plan& plan, const judgement& j) {
    counts& c = table[named(plan.shape)];
    ++c.jobs;
    c.kills += static_cast<int>(plan.deaths.size());
    ++c.of[static_cast<std::size_t>(j.what)];
    if (j.what == verdict::ok) return;
    failed = true;
    fmt::print("{} after {:.0f} s: {}\n{}  repeat it: {}\n", name(j.what), j.seconds,
               described(plan), j.text, repeated_by(plan));
    std::fflush(stdout);
  };
  fmt::print("soak: {}, {} at once\n", one ? "one job" : fmt::format("first seed {}", r.seed),
             r.at_once);
  run_jobs(r.at_once, r.job, next, judged);
  print_table(table);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  oriel::testing::request r;
  r.seed = static_cast<std::uint64_t>(std::time(nullptr));
  r.job.hosts_program = ORIEL_HOSTS;
  r.job.rank_program = ORIEL_RANDOM_RANK;
  int patience = static_cast<int>(r.job.patience.count());
  const CLI::Range ranks_allowed(2, oriel::testing::most_ranks);
  CLI::App app{"Runs jobs in which random ranks die, and judges what is left of them.", "soak"};
  app.add_option("minutes", r.minutes, "how long; 0: one job")->required();
  app.add_option("--seed", r.seed, "of the first job; the next has the next number");
  auto* const ranks = app.add_option("--ranks", r.ranks, "of every job")->check(ranks_allowed);
  auto* const hosts = app.add_option("--hosts", r.hosts, "of every job, with --ranks")
                          ->check(CLI::Range(1, oriel::testing::most_ranks));
  ranks->needs(hosts);
  hosts->needs(ranks);
  app.add_flag("--pretended", r.pretended, "hosts without a network of their own");
  app.add_flag("--prompt", r.prompt, "nobody goes on with a window that others free already");
  app.add_option("--at-once", r.at_once, "jobs at a time (default: 2)")->check(CLI::Range(1, 64));
  app.add_option("--times", r.times, "of 0 minutes: the same job so many times");
  app.add_option("--patience", patience, "seconds in one step that count as hanging (default: 25)");
  app.add_flag("--stacks", r.job.stacks, "print the stacks of ranks that hang, by gdb");
  app.add_option("--program", r.job.rank_program, "the program of a rank: of another build, say");
  CLI11_PARSE(app, argc, argv);
  r.job.patience = std::chrono::seconds(patience);
  return oriel::testing::run(r);
}
