#include "bench/driver/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/driver/child.hpp"
#include "bench/driver/table.hpp"

namespace bench {
namespace {

// What the limits call these cases; in the order in which they measure.
std::vector<std::string> limit_cases(const std::vector<std::string>& cases) {
  std::vector<std::string> names;
  for (const std::string& c : cases)
    if (const std::string name = limit_case(c);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return names;
}

}  // namespace

std::string gatherer::place(const std::string& who, int ranks, const std::string& name) {
  return who + "/" + std::to_string(ranks) + "/" + name;
}

void gatherer::run(const std::vector<std::string>& everyone) {
  for (int round = 0; round < options_.rounds; ++round) {
    std::vector<std::string> turn = everyone;
    std::rotate(turn.begin(), turn.begin() + round % static_cast<int>(turn.size()), turn.end());
    for (const job_size& size : job_sizes(options_))
      for (const std::string& who : turn) measure(who, size, round);
  }
}

void gatherer::measure(const std::string& who, const job_size& size, int round) {
  if (who == "limits" && !size.has_limits) return;
  std::vector<std::string> wanted = chosen(options_.cases, size.cases);
  if (who == "limits") wanted = limit_cases(wanted);
  // A case that a program could not finish once is not tried at that size again.
  std::erase_if(wanted, [&](const std::string& c) {
    return failures_.count(place(who, size.ranks, c)) != 0;
  });
  while (!wanted.empty()) {
    fmt::print(stderr, "round {} of {}: {} on {} ranks        \r", round + 1, options_.rounds, who,
               size.ranks);
    const child_result result = run_child(launch(options_, who, size.ranks, wanted),
                                          std::chrono::seconds(options_.quick ? 20 : 60));
    samples got;
    got.take(result.out);
    measured_[who].take(result.out);
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

}  // namespace bench
