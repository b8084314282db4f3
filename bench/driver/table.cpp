#include "bench/driver/table.hpp"

#include <fmt/format.h>

namespace bench {
namespace {

std::string number(const std::optional<double>& value, int digits = 2) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string middle(const std::optional<timing>& time) {
  return time ? number(time->middle) : "-";
}

std::string verdict(const result_row& row) {
  std::string text;
  for (const judgement& j : judge(row))
    text += fmt::format("{}{}{:g}x {} {}", text.empty() ? "" : ", ",
                        j.beside == "limit" ? "<=" : ">=", j.factor, j.beside,
                        j.met ? "met" : "MISSED");
  return text;
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
      {"net_far_put", {0, 2.5}},
      {"net_far_accumulate", {0, 2.7}},
      {"net_far_get_nbi", {0, 3.2}},
      {"net_list_histogram", {0, 2.1}},
      {"net_list_gather", {0, 3.2}},
  };
  const auto found = aims.find(key.name);
  return found == aims.end() ? aim{} : found->second;
}

std::vector<judgement> judge(const result_row& row) {
  const aim wanted = aim_of(row.key);
  std::vector<judgement> all;
  if (const auto times = row.times_limit(); times && wanted.at_most_times_limit > 0)
    all.push_back({"limit", wanted.at_most_times_limit, *times <= wanted.at_most_times_limit});
  if (const auto s = row.speedup(); s && wanted.speedup_over_openmpi > 0 && row.peer == "openmpi")
    all.push_back({row.peer, wanted.speedup_over_openmpi, *s >= wanted.speedup_over_openmpi});
  return all;
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
  // Wherever the memory is; what is gathered may go as lists do.
  if (name.starts_with("private_list_")) return name.substr(std::string("private_").size());
  if (name.starts_with("private_add")) return "list_histogram";
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
    const std::string limit = limit_case(key.name);
    auto bound = limits.of({limit, key.ranks, key.bytes});
    if (!bound) bound = limits.of_any(limit, key.bytes);
    result_row row{key, oriel.of(key), bound, "", {}, ""};
    bool any_peer = false;
    for (const auto& [peer, measured] : peers) {
      row.peer = peer;
      row.peer_time = measured.of(key);
      row.peer_failure.clear();
      if (const auto why =
              peer_failures.find(peer + "/" + std::to_string(key.ranks) + "/" + key.name);
          !row.peer_time && why != peer_failures.end())
        row.peer_failure = why->second;
      if (!row.peer_time && row.peer_failure.empty()) continue;
      rows.push_back(row);
      any_peer = true;
    }
    if (any_peer) continue;
    row.peer.clear();
    row.peer_time.reset();
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
                        row.key.ranks, row.key.bytes, middle(row.oriel), middle(row.limit),
                        number(row.times_limit()), row.peer,
                        row.peer_failure.empty() ? middle(row.peer_time) : row.peer_failure,
                        number(row.speedup(), 1), verdict(row));
  }
  return text;
}

}  // namespace bench
