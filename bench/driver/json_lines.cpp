#include "bench/driver/json_lines.hpp"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

using json = nlohmann::ordered_json;

json middle_of(const std::optional<timing>& time) {
  return time ? json(time->middle) : json(nullptr);
}

json range_of(const std::optional<timing>& time) {
  return time ? json{time->least, time->most} : json(nullptr);
}

template <class Value>
json value_or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

std::optional<timing> read_timing(const json& from, const std::string& who) {
  const json& middle = from.at(who + "_ns");
  if (middle.is_null()) return std::nullopt;
  timing time{middle, middle, middle};
  if (const auto range = from.find(who + "_range"); range != from.end() && !range->is_null()) {
    time.least = range->at(0);
    time.most = range->at(1);
  }
  return time;
}

std::string read_text(const json& from, const std::string& key) {
  const auto found = from.find(key);
  return found == from.end() || found->is_null() ? "" : found->get<std::string>();
}

row_key read_key(const json& from) {
  return {from.at("case"), from.at("ranks"), from.at("bytes")};
}

void read_line(const json& line, saved_run& run) {
  if (!line.contains("case")) {
    if (!line.is_object()) throw std::runtime_error("it is no object");
    for (const auto& [name, text] : line.items()) run.facts.emplace_back(name, text);
    return;
  }
  if (line.contains("host")) {
    mpi_row row{read_key(line),
                line.at("host"),
                read_timing(line, "host"),
                read_timing(line, "oriel"),
                read_text(line, "host_failure"),
                read_text(line, "oriel_failure")};
    if (const json& wanted = line.at("wanted"); !wanted.is_null()) row.wanted = wanted;
    run.mpi_rows.push_back(std::move(row));
    return;
  }
  run.rows.push_back({read_key(line), read_timing(line, "oriel"), read_timing(line, "limit"),
                      read_text(line, "peer"), read_timing(line, "peer"),
                      read_text(line, "peer_failure")});
}

}  // namespace

std::string print_json(const run_facts& facts) {
  json object = json::object();
  for (const auto& [name, text] : facts) object[name] = text;
  return object.dump() + "\n";
}

std::string print_json(const std::vector<result_row>& rows) {
  std::string text;
  for (const result_row& row : rows) {
    const json object{{"case", row.key.name},
                      {"ranks", row.key.ranks},
                      {"bytes", row.key.bytes},
                      {"oriel_ns", middle_of(row.oriel)},
                      {"limit_ns", middle_of(row.limit)},
                      {"peer", text_or_null(row.peer)},
                      {"peer_ns", middle_of(row.peer_time)},
                      {"speedup", value_or_null(row.speedup())},
                      {"peer_failure", text_or_null(row.peer_failure)},
                      {"oriel_range", range_of(row.oriel)},
                      {"limit_range", range_of(row.limit)},
                      {"peer_range", range_of(row.peer_time)}};
    text += object.dump() + "\n";
  }
  return text;
}

std::string print_json(const std::vector<mpi_row>& rows) {
  std::string text;
  for (const mpi_row& row : rows) {
    const json object{{"case", row.key.name},
                      {"ranks", row.key.ranks},
                      {"bytes", row.key.bytes},
                      {"host", row.host},
                      {"host_ns", middle_of(row.host_time)},
                      {"oriel_ns", middle_of(row.oriel)},
                      {"ratio", value_or_null(row.ratio())},
                      {"wanted", row.wanted == 0 ? json(nullptr) : json(row.wanted)},
                      {"met", value_or_null(row.met())},
                      {"host_failure", text_or_null(row.host_failure)},
                      {"oriel_failure", text_or_null(row.oriel_failure)},
                      {"host_range", range_of(row.host_time)},
                      {"oriel_range", range_of(row.oriel)}};
    text += object.dump() + "\n";
  }
  return text;
}

saved_run read_json(std::istream& file) {
  saved_run run;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      read_line(json::parse(line), run);
    } catch (const std::exception& e) {
      throw std::runtime_error(fmt::format("line {} is no row of a run: {}", number, e.what()));
    }
    if (!run.rows.empty() && !run.mpi_rows.empty())
      throw std::runtime_error(
          fmt::format("line {} is a row of another sort than those before it", number));
  }
  if (run.rows.empty() && run.mpi_rows.empty()) throw std::runtime_error("it has no row of a run");
  return run;
}

}  // namespace bench
