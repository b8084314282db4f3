#include "tools/info/statistics_table.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "oriel/errc.hpp"

namespace oriel::tools {
namespace {

using json = nlohmann::json;
using operations_and_bytes = std::pair<std::uint64_t, std::uint64_t>;

struct job_sum {
  std::set<int> ranks;
  std::uint64_t windows = 0;
  std::map<std::string, std::map<std::string, operations_and_bytes>> operations;
  std::map<std::string, std::pair<std::uint64_t, double>> waits;
  std::uint64_t packets = 0, packed = 0, messages = 0, retries = 0;
};

// Of one window of one rank.
void add(job_sum& sum, const json& line) {
  sum.ranks.insert(line.at("rank").get<int>());
  ++sum.windows;
  const json operations = line.value("operations", json::object());
  const json waits = line.value("waits", json::object());
  for (const auto& [kind, routes] : operations.items())
    for (const auto& [route, t] : routes.items()) {
      auto& [n, bytes] = sum.operations[kind][route];
      n += t.at("operations").get<std::uint64_t>();
      bytes += t.at("bytes").get<std::uint64_t>();
    }
  for (const auto& [cause, w] : waits.items()) {
    auto& [times, seconds] = sum.waits[cause];
    times += w.at("times").get<std::uint64_t>();
    seconds += static_cast<double>(w.at("nanoseconds").get<std::uint64_t>()) / 1e9;
  }
  sum.packets += line.value("packets", std::uint64_t{0});
  sum.packed += line.value("packed", std::uint64_t{0});
  sum.messages += line.value("messages", std::uint64_t{0});
  sum.retries += line.value("retries", std::uint64_t{0});
}

std::string text_of(const std::string& job, const job_sum& sum) {
  std::string text = fmt::format("job of process {}: {} ranks, {} windows of ranks\n", job,
                                 sum.ranks.size(), sum.windows);
  text +=
      fmt::format("  {:<14} {:<14} {:>14} {:>16}\n", "operation", "route", "operations", "bytes");
  for (const auto& [kind, routes] : sum.operations)
    for (const auto& [route, t] : routes)
      text += fmt::format("  {:<14} {:<14} {:>14} {:>16}\n", kind, route, t.first, t.second);
  text += fmt::format("  {:<14} {:<14} {:>14} {:>16}\n", "wait", "", "times", "seconds");
  for (const auto& [cause, w] : sum.waits)
    text += fmt::format("  {:<14} {:<14} {:>14} {:>16.6f}\n", cause, "", w.first, w.second);
  if (sum.packets != 0)
    text += fmt::format("  {} packets carried {} operations\n", sum.packets, sum.packed);
  if (sum.messages != 0)
    text += fmt::format("  {} messages to other nodes carried one operation, or a part of one\n",
                        sum.messages);
  if (sum.retries != 0)
    text += fmt::format("  {} retries of what the provider had not taken\n", sum.retries);
  return text;
}

}  // namespace

std::string statistics_table(const std::string& file, std::uintmax_t skipped) {
  std::ifstream in(file);
  if (!in) throw error(errc::arg, "cannot read '" + file + "': " + std::strerror(errno));
  in.seekg(static_cast<std::streamoff>(skipped));
  std::vector<std::string> order;
  std::map<std::string, job_sum> jobs;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      const json one = json::parse(line);
      const auto job = one.at("job").get<std::string>();
      if (!jobs.contains(job)) order.push_back(job);
      job_sum& sum = jobs[job];
      if (one.contains("window")) add(sum, one);
    } catch (const json::exception& e) {
      throw error(errc::arg, fmt::format("line {} of '{}' is none of ORIEL_STATS's: {}", number,
                                         file, e.what()));
    }
  }
  std::string text;
  for (const std::string& job : order) text += (text.empty() ? "" : "\n") + text_of(job, jobs[job]);
  return text;
}

}  // namespace oriel::tools
