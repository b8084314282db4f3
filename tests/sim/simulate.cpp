#include "tests/sim/simulate.hpp"

#include <utility>

#include "tests/sim/apart.hpp"

namespace oriel::sim {
namespace {

// What is drawn of one seed for different ends must not be alike.
enum : std::uint64_t { for_programs = 1, for_schedules, for_faults };

std::uint64_t drawn_from(std::uint64_t seed, std::uint64_t end) noexcept {
  return seed * 0x9e3779b97f4a7c15 + end;
}

schedule schedule_of(const protocol& what, const conditions& how) {
  randomness random(drawn_from(how.seed, for_schedules));
  schedule s;
  s.seed = random.number();
  s.stores = static_cast<visibility>(random.below(3));
  const bool wakes_alone = random.below(4) != 0;
  s.sleeps_end = how.suffered != faults::none || !wakes_alone;
  s.steps_between_stalls = how.suffered == faults::heavy ? 2000 : 0;
  what.adjust(s);
  return s;
}

// A step of a process, soon or late: what matters happens at all sizes.
std::uint64_t some_step(randomness& random, const protocol& what) {
  const int first = what.log_of_first_steps();
  const int log = first + random.below(what.log_of_steps() - first + 1);
  return 1 + static_cast<std::uint64_t>(random.below(1 << log));
}

// The other ranks of its node; nobody where programs have no nodes.
std::vector<int> neighbours_of(const program& p, int rank) {
  std::vector<int> found;
  for (int r = 0; r < static_cast<int>(p.nodes.size()); ++r)
    if (r != rank &&
        p.nodes[static_cast<std::size_t>(r)] == p.nodes[static_cast<std::size_t>(rank)])
      found.push_back(r);
  return found;
}

void plan_faults(scheduler& run, const protocol& what, const program& p, const conditions& how) {
  randomness random(drawn_from(how.seed, for_faults));
  const auto strike = [&](int rank) {
    std::vector<int> others = neighbours_of(p, rank);
    if (!others.empty() && random.below(4) != 0) others.clear();
    if (random.below(2) == 0)
      run.kill_at(rank, some_step(random, what), std::move(others));
    else
      run.stop_at(rank, some_step(random, what), std::chrono::milliseconds(1 << random.below(12)),
                  std::move(others));
  };
  if (how.suffered == faults::light) strike(random.below(p.ranks));
  for (int r = 0; how.suffered == faults::heavy && r < p.ranks; ++r)
    if (random.below(2) == 0) strike(r);
}

std::string list_of(const protocol& what, const program& p) {
  std::string text = std::to_string(p.ranks) + " ranks:\n";
  for (const act& a : p.acts) text += "  " + what.in_words(p, a) + "\n";
  return text;
}

const char* word_for(faults f) noexcept {
  return f == faults::none ? "none" : f == faults::light ? "light" : "heavy";
}

// Fewer acts, by halves, quarters and so on, as long as some schedule of a few still fails.
std::pair<program, verdict> smallest(const protocol& what, program p, verdict v, conditions how) {
  const std::uint64_t schedules = what.is_apart() ? 4 : 40;  // for the time that they take
  for (std::size_t part = p.acts.size() / 2; part > 0; part /= 2)
    for (std::size_t first = 0; first + part <= p.acts.size();) {
      program less = p;
      less.acts.erase(less.acts.begin() + static_cast<std::ptrdiff_t>(first),
                      less.acts.begin() + static_cast<std::ptrdiff_t>(first + part));
      bool fails = false;
      for (std::uint64_t k = 0; k < schedules && !fails && !less.acts.empty(); ++k) {
        conditions other = how;
        other.seed = how.seed + k;
        verdict again = run_program(what, less, other);
        if (again.how == ending::ended) continue;
        fails = true;
        p = less;
        v = std::move(again);
      }
      if (!fails) first += part;
    }
  return {std::move(p), std::move(v)};
}

verdict run_here(const protocol& what, const program& p, const conditions& how) {
  scheduler run(schedule_of(what, how));
  const std::unique_ptr<scene> played = what.begin(run, p);
  plan_faults(run, what, p, how);
  verdict v = run.run();
  if (v.how != ending::ended) return v;
  if (std::string wrong = played->wrong(); !wrong.empty()) {
    v.how = ending::failed;
    v.why = std::move(wrong) + "\n";
  }
  return v;
}

}  // namespace

verdict run_program(const protocol& what, const program& p, const conditions& how) {
  const auto here = [&] { return run_here(what, p, how); };
  return what.is_apart() ? run_apart(here) : here();
}

verdict run_seed(const protocol& what, const conditions& how) {
  randomness random(drawn_from(how.seed, for_programs));
  return run_program(what, what.draw(random, how.most_ranks), how);
}

std::string failure_of(const protocol& what, const conditions& how, const verdict& failed) {
  return std::string(what.name()) + " fails from seed " + std::to_string(how.seed) + ": " +
         failed.why.substr(0, failed.why.find('\n'));
}

std::optional<std::string> failure_of(const protocol& what, const conditions& how) {
  verdict v = run_seed(what, how);
  if (v.how == ending::ended) return std::nullopt;
  randomness random(drawn_from(how.seed, for_programs));
  const program whole = what.draw(random, how.most_ranks);
  const std::string first_line = failure_of(what, how, v);
  const auto [least, last] = smallest(what, whole, std::move(v), how);
  return first_line + "\nrepeat it: ./run simulate --protocol " + what.name() + " --from " +
         std::to_string(how.seed) + " --seeds 1 --ranks " + std::to_string(how.most_ranks) +
         " --faults " + word_for(how.suffered) + "\nthe smallest program found that still fails, " +
         list_of(what, least) + "it ends so: " + last.why;
}

}  // namespace oriel::sim
