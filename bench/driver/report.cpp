#include "bench/driver/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bench/driver/plan.hpp"

namespace bench {
namespace {

std::string shown(const std::string& who) {
  if (who == "openmpi") return "Open MPI";
  if (who == "openmpi-sm") return "Open MPI, sm";
  if (who == "mpich") return "MPICH";
  if (who == openshmem) return "OpenSHMEM";
  if (who == asleep) return "oriel, asleep";
  return who;
}

// Each has a style of its own, in the order of their names.
std::map<std::string, std::string> styles_of(const std::set<std::string>& peers) {
  std::map<std::string, std::string> styles;
  for (const std::string& peer : peers)
    styles[peer] = fmt::format("peer{}", styles.size() % peer_styles);
  return styles;
}

std::optional<double> finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

int turn_of(const row_key& key) {
  static const std::vector<std::string> order = order_of_cases();
  const auto found = std::find(order.begin(), order.end(), key.name);
  return static_cast<int>(found - order.begin());
}

void finish(report& r) {
  std::stable_sort(r.rows.begin(), r.rows.end(), [](const report_row& a, const report_row& b) {
    return std::tie(a.turn, a.key.name, a.key.ranks, a.key.bytes) <
           std::tie(b.turn, b.key.name, b.key.ranks, b.key.bytes);
  });
  for (std::size_t c = 0; c < r.sorts.size(); ++c) {
    std::vector<double> values;
    for (const report_row& row : r.rows)
      if (row.ratios[c].value) values.push_back(*row.ratios[c].value);
    r.sorts[c].middle = median(values);
  }
}

// With what is judged of it.
report_ratio ratio_of(const std::optional<double>& value, const std::vector<judgement>& judged,
                      const std::string& beside) {
  report_ratio ratio{finite(value), "", {}};
  for (const judgement& j : judged)
    if (j.beside == beside) {
      ratio.aim = fmt::format("{} {:.3g}", beside == "limit" ? "≤" : "≥", j.factor);
      ratio.met = j.met;
    }
  return ratio;
}

std::string limit_name(const row_key& key) {
  const std::string its = limit_case(key.name);
  return its == key.name ? "limit" : "limit: " + its;
}

}  // namespace

report report_of(const run_facts& facts, const std::vector<result_row>& rows) {
  report r;
  r.facts = facts;
  std::set<std::string> peers;
  bool between_nodes = false;
  for (const result_row& row : rows) {
    if (!row.peer.empty()) peers.insert(row.peer);
    between_nodes |= row.key.name.starts_with("net_");
  }
  r.title = between_nodes ? "Between nodes: oriel beside the network's limits"
                          : "One node: oriel beside the machine's limits";
  r.sorts.push_back({"× limit", "oriel's time beside the limit's", {}});
  for (const std::string& peer : peers)
    r.sorts.push_back({"× oriel", shown(peer) + "'s time beside oriel's", {}});
  const auto styles = styles_of(peers);
  std::map<row_key, std::size_t> places;
  for (const result_row& row : rows) {
    const std::vector<judgement> judged = judge(row);
    const auto [place, is_new] = places.emplace(row.key, r.rows.size());
    if (is_new) {
      report_row made{row.key, turn_of(row.key), "", {}, {}};
      made.bars.push_back({"oriel", "oriel", row.oriel, "", 0});
      if (row.limit) made.bars.push_back({limit_name(row.key), "limit", row.limit, "", {}});
      made.ratios.resize(r.sorts.size());
      made.ratios[0] = ratio_of(row.times_limit(), judged, "limit");
      r.rows.push_back(std::move(made));
    }
    if (row.peer.empty()) continue;
    report_row& to = r.rows[place->second];
    const auto sort =
        static_cast<std::size_t>(1 + std::distance(peers.begin(), peers.find(row.peer)));
    to.bars.push_back(
        {shown(row.peer), styles.at(row.peer), row.peer_time, row.peer_failure, sort});
    to.ratios[sort] = ratio_of(row.speedup(), judged, row.peer);
  }
  finish(r);
  return r;
}

report report_of(const run_facts& facts, const std::vector<mpi_row>& rows) {
  report r;
  r.title = "MPI programs, with oriel preloaded and without";
  r.facts = facts;
  r.sorts.push_back({"× oriel", "time without oriel beside that with it", {}});
  std::set<std::string> hosts;
  for (const mpi_row& row : rows) hosts.insert(row.host);
  const auto styles = styles_of(hosts);
  for (const mpi_row& row : rows) {
    report_ratio ratio{finite(row.ratio()), "", row.met()};
    if (row.met()) ratio.aim = fmt::format("≥ {:.3g}", row.wanted);
    r.rows.push_back({row.key,
                      turn_of(row.key),
                      shown(row.host),
                      {{"with oriel", "oriel", row.oriel, row.oriel_failure, {}},
                       {shown(row.host), styles.at(row.host), row.host_time, row.host_failure, 0}},
                      {ratio}});
  }
  finish(r);
  return r;
}

}  // namespace bench
