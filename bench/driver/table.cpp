#include "bench/driver/table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

std::string number(const std::optional<double>& value, int digits = 2) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string ratio(const result_row& row) {
  return row.oriel_ns && row.limit_ns ? number(*row.oriel_ns / *row.limit_ns) : "-";
}

std::string verdict(const result_row& row) {
  const aim wanted = aim_of(row.key);
  std::string text;
  const auto judge = [&text](bool met, const std::string& what) {
    text += (text.empty() ? "" : ", ") + what + (met ? " met" : " MISSED");
  };
  if (wanted.at_most_times_limit > 0 && row.oriel_ns && row.limit_ns)
    judge(*row.oriel_ns <= wanted.at_most_times_limit * *row.limit_ns,
          fmt::format("<={:g}x limit", wanted.at_most_times_limit));
  if (const auto s = row.speedup(); s && wanted.speedup_over_openmpi > 0 && row.peer == "openmpi")
    judge(*s >= wanted.speedup_over_openmpi,
          fmt::format(">={:g}x openmpi", wanted.speedup_over_openmpi));
  return text;
}

nlohmann::json value_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

aim aim_of(const row_key& key) {
  static const std::map<std::string, aim> aims{
      {"put_flush", {8, 1.5}},
      {"put_rate", {15, 0}},
      {"get_flush", {8, 0}},
      {"fetch_add", {8, 0}},
      {"compare_swap", {8, 0}},
      {"accumulate", {8, 0}},
      {"fetch_add_bare", {0, 1.5}},
      {"compare_swap_bare", {0, 1.5}},
      {"acc_1m", {0, 1.3}},
      {"lock_put_unlock", {5, 0}},
      {"fence", {2.5, 2}},
      {"pscw", {2, 0}},
      {"put_bw", {1, 1 / 0.9}},
      {"get_bw", {1, 1 / 0.9}},
      {"fence4", {1, 0}},
      {"lock_contention4", {1, 0}},
      {"fetch_add4", {1, 0}},
      {"construct", {3, 0}},
      {"shared_1g", {1 / 1.2, 0}},
      {"net_put_flush", {0, 1.15}},
      {"net_get_flush", {0, 1.15}},
      {"net_put_stream", {0, 1.15}},
      {"net_put_1m", {0, 1 / 0.95}},
      {"net_get_1m", {0, 1 / 0.95}},
      {"net_fetch_add", {0, 1.3}},
      {"net_cas", {0, 1.3}},
      {"net_fence", {0, 1.3}},
      {"net_notify_pingpong", {0, 1.15}},
  };
  const auto found = aims.find(key.name);
  return found == aims.end() ? aim{} : found->second;
}

std::string limit_case(const std::string& name) {
  // The target's process serves these: a request and its reply.
  const bool served = name == "net_fetch_add" || name == "net_cas" || name == "net_accumulate" ||
                      name == "net_notify_pingpong";
  if (served) return "net_round_trip";
  // Wherever the memory is from.
  if (name == "net_attached_put" || name == "net_attached_get")
    return name == "net_attached_put" ? "net_put_flush" : "net_get_flush";
  if (name == "net_attached_put_1m") return "net_put_1m";
  if (name == "net_attached_get_1m") return "net_get_1m";
  // A list is a loop over single operations where these are gathered anyway.
  if (name == "net_far_scatter") return "net_far_put";
  if (name == "net_far_histogram") return "net_far_accumulate";
  if (name == "net_far_gather") return "net_far_get_nbi";
  // Another process's memory.
  if (name == "created_put" || name == "attached_put") return "kernel_put";
  if (name == "created_get" || name == "attached_get") return "kernel_get";
  return name;
}

std::vector<result_row> join(const samples& oriel, const samples& limits,
                             const std::map<std::string, samples>& peers,
                             const std::map<std::string, std::string>& peer_failures) {
  std::vector<result_row> rows;
  for (const row_key& key : oriel.keys()) {
    result_row row{
        key, oriel.middle(key), limits.middle_of_any(limit_case(key.name), key.bytes), "", {}, ""};
    bool any_peer = false;
    for (const auto& [peer, measured] : peers) {
      row.peer = peer;
      row.peer_ns = measured.middle(key);
      row.peer_failure.clear();
      if (const auto why =
              peer_failures.find(peer + "/" + std::to_string(key.ranks) + "/" + key.name);
          !row.peer_ns && why != peer_failures.end())
        row.peer_failure = why->second;
      if (!row.peer_ns && row.peer_failure.empty()) continue;
      rows.push_back(row);
      any_peer = true;
    }
    if (any_peer) continue;
    row.peer.clear();
    row.peer_ns.reset();
    rows.push_back(row);
  }
  return rows;
}

std::string print_table(const std::vector<result_row>& rows) {
  std::string text =
      fmt::format("{:<24}{:>6}{:>11}{:>13}{:>13}{:>9}  {:<10}{:>13}{:>9}  {}\n", "case", "ranks",
                  "bytes", "oriel ns", "limit ns", "ratio", "peer", "peer ns", "speedup", "aim");
  for (const result_row& row : rows) {
    text += fmt::format("{:<24}{:>6}{:>11}{:>13}{:>13}{:>9}  {:<10}{:>13}{:>9}  {}\n", row.key.name,
                        row.key.ranks, row.key.bytes, number(row.oriel_ns), number(row.limit_ns),
                        ratio(row), row.peer,
                        row.peer_failure.empty() ? number(row.peer_ns) : row.peer_failure,
                        number(row.speedup(), 1), verdict(row));
  }
  return text;
}

std::string print_json(const std::vector<result_row>& rows) {
  std::string text;
  for (const result_row& row : rows) {
    const nlohmann::ordered_json object{
        {"case", row.key.name},
        {"ranks", row.key.ranks},
        {"bytes", row.key.bytes},
        {"oriel_ns", value_or_null(row.oriel_ns)},
        {"limit_ns", value_or_null(row.limit_ns)},
        {"peer", row.peer.empty() ? nlohmann::json(nullptr) : nlohmann::json(row.peer)},
        {"peer_ns", value_or_null(row.peer_ns)},
        {"speedup", value_or_null(row.speedup())},
    };
    text += object.dump() + "\n";
  }
  return text;
}

}  // namespace bench
