#include "tests/faults/random/plan.hpp"

#include <algorithm>

#include "tests/faults/random/dice.hpp"

namespace oriel::testing {
namespace {

planned_death draw(dice& d, int victim, int round) {
  planned_death death;
  death.victim = victim;
  death.round = round;
  // Counted operations repeat best, so most deaths are of that kind.
  static constexpr moment moments[] = {moment::operation,   moment::operation, moment::operation,
                                       moment::operation,   moment::operation, moment::timer,
                                       moment::timer,       moment::freeing,   moment::shrinking,
                                       moment::construction};
  death.when = moments[d.below(std::size(moments))];
  static constexpr manner manners[] = {manner::killed,  manner::killed, manner::killed,
                                       manner::stopped, manner::exits,  manner::leaves};
  death.how = manners[d.below(std::size(manners))];
  death.work = d.pick(works_before_death);
  switch (death.when) {
    case moment::operation:
      death.after = d.below(d.one_in(3) ? 10 : 120);
      break;
    case moment::timer:
      death.after = d.below(d.one_in(2) ? 20'000 : 200'000);
      break;
    case moment::construction:
    case moment::freeing:
      death.after = d.below(4);
      break;
    case moment::shrinking:
      death.after = d.below(3000);
      break;
  }
  // These happen on another thread, within a call.
  if (death.when == moment::construction || death.when == moment::shrinking)
    death.how = manner::killed;
  death.stopped_ms = d.one_in(4) ? 1000 + d.pick(2000) : d.pick(300);
  return death;
}

const char* name(manner m) {
  switch (m) {
    case manner::killed:
      return "is killed";
    case manner::stopped:
      return "is stopped, then killed,";
    case manner::exits:
      return "calls exit";
    default:
      return "calls _exit";
  }
}

std::string place_of(const planned_death& d) {
  const std::string n = std::to_string(d.after), round = " of round " + std::to_string(d.round);
  switch (d.when) {
    case moment::operation:
      return "at step " + n + " of work " + std::to_string(d.work) + round;
    case moment::timer:
      return n + " us after the start" + round;
    case moment::construction:
      return "while it constructs window " + n + round;
    case moment::freeing:
      return "when it has freed " + n + " windows" + round;
    default:
      return n + " us after the start of the shrink" + round;
  }
}

}  // namespace

const planned_death* fault_plan::death_of(int rank) const noexcept {
  for (const planned_death& d : deaths)
    if (d.victim == rank) return &d;
  return nullptr;
}

bool fault_plan::any_in(int round) const noexcept {
  return std::any_of(deaths.begin(), deaths.end(),
                     [round](const planned_death& d) { return d.round == round; });
}

std::vector<int> fault_plan::survivors() const {
  std::vector<int> left;
  for (int r = 0; r < shape.ranks; ++r)
    if (survives(r)) left.push_back(r);
  return left;
}

// One death; in a third of the jobs with at least three ranks a second one, at the same time or
// during the recovery; now and then a whole host.
fault_plan make_plan(std::uint64_t seed, const job_shape& shape) {
  dice d{seed, static_cast<std::uint64_t>(shape.ranks), static_cast<std::uint64_t>(shape.hosts)};
  fault_plan plan{seed, shape, {}, true};
  const int first = d.pick(shape.ranks);
  plan.deaths.push_back(draw(d, first, 0));
  if (shape.ranks < 3) return plan;
  if (shape.hosts > 1 && d.one_in(12)) {
    for (int r = 0; r < shape.ranks; ++r) {
      if (r == first || shape.host_of(r) != shape.host_of(first)) continue;
      plan.deaths.push_back(plan.deaths.front());
      plan.deaths.back().victim = r;
    }
  } else if (d.one_in(3)) {
    const int second = (first + 1 + d.pick(shape.ranks - 1)) % shape.ranks;
    plan.deaths.push_back(draw(d, second, d.pick(2)));
    // During the recovery: the first has died before.
    if (plan.deaths.back().round == 0 && d.one_in(2))
      plan.deaths.back().when = moment::freeing, plan.deaths.back().after = d.below(4);
  }
  return plan;
}

std::string described(const fault_plan& p) {
  std::string text = "seed " + std::to_string(p.seed) + ", " + std::to_string(p.shape.ranks) +
                     " ranks on " + std::to_string(p.shape.hosts) +
                     (p.shape.network ? " hosts" : " pretended hosts");
  const char* between = ": rank ";
  for (const planned_death& d : p.deaths) {
    text += between + std::to_string(d.victim) + " " + name(d.how) + " " + place_of(d);
    between = ", rank ";
  }
  return text;
}

}  // namespace oriel::testing
