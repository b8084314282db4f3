#include "session/bootstrap/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "oriel/errc.hpp"
#include "session/bootstrap/gathering_tree.hpp"

namespace oriel::sessions {
namespace {

[[noreturn]] void bad(const std::string& name, const std::string& value, const std::string& valid) {
  throw error(errc::arg, name + " is '" + value + "'; valid: " + valid);
}

host_port read_address(const std::string& name, const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) bad(name, text, "host:port");
  const int port = parse_number("the port of " + name, text.substr(colon + 1), 1, 65535);
  return {text.substr(0, colon), static_cast<std::uint16_t>(port)};
}

void read_place(const variables& variable, job_description& job) {
  const auto rank = variable("ORIEL_RANK");
  const auto size = variable("ORIEL_SIZE");
  const auto root = variable("ORIEL_ROOT");
  if (!rank && !size && !root) return;
  for (const auto& [name, value] : {std::pair{"ORIEL_RANK", rank}, std::pair{"ORIEL_SIZE", size}})
    if (!value)
      throw error(errc::arg, std::string(name) +
                                 " is not set, though other variables of the job are; a job sets "
                                 "ORIEL_RANK, ORIEL_SIZE and ORIEL_ROOT");
  job.placed = true;
  job.size = parse_number("ORIEL_SIZE", *size, 1, most_ranks);
  job.rank = parse_number("ORIEL_RANK", *rank, 0, job.size - 1);
  if (job.size == 1) return;
  if (!root)
    throw error(errc::arg, "ORIEL_ROOT is not set; valid: host:port, where rank 0 listens");
  job.root = read_address("ORIEL_ROOT", *root);
  if (const auto parent = variable("ORIEL_PARENT"); parent && job.size > largest_star) {
    job.parent = read_address("ORIEL_PARENT", *parent);
    if (job.rank == 0 && *parent != *root)
      bad("ORIEL_PARENT", *parent, "on rank 0 what ORIEL_ROOT is, '" + *root + "'");
  }
  if (const auto fd = variable("ORIEL_ROOT_FD"); fd && (job.rank == 0 || job.parent))
    job.root_fd = parse_number("ORIEL_ROOT_FD", *fd, 0, 1 << 20);
}

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<bool> variable_switch(const char* name) {
  const auto value = variable(name);
  if (!value) return std::nullopt;
  if (*value != "0" && *value != "1")
    throw error(errc::arg, std::string(name) + " is '" + *value + "'; valid: 0, 1");
  return *value == "1";
}

std::vector<std::string> variable_list(const char* name) {
  std::vector<std::string> names;
  const std::string text = variable(name).value_or("");
  std::string_view left = text;
  while (!left.empty()) {
    const auto comma = left.find(',');
    if (comma != 0) names.emplace_back(left.substr(0, comma));
    left = comma == std::string_view::npos ? "" : left.substr(comma + 1);
  }
  return names;
}

int parse_number(const std::string& name, const std::string& text, int low, int high) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end || value < low || value > high)
    bad(name, text, "a number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

std::string within(std::chrono::milliseconds timeout) {
  return "within " + std::to_string(timeout.count() / 1000) + " s (ORIEL_TIMEOUT)";
}

job_description read_environment(const variables& variable) {
  job_description job;
  read_place(variable, job);
  job.secret = variable("ORIEL_JOB_SECRET").value_or("");
  if (job.secret.size() > 256)
    bad("ORIEL_JOB_SECRET", "(" + std::to_string(job.secret.size()) + " characters)",
        "at most 256 characters");
  job.memory_alloc_kinds = variable("ORIEL_MEMORY_ALLOC_KINDS");
  job.node_id = variable("ORIEL_NODE_ID");
  if (const auto t = variable("ORIEL_TIMEOUT"))
    job.patience = job.timeout = std::chrono::seconds(parse_number("ORIEL_TIMEOUT", *t, 1, 86'400));
  if (const auto c = variable("ORIEL_CHECK")) {
    const auto is = [&c](std::string_view value) { return *c == value; };
    job.check_accesses = is("pages") || is("pages,abort") || is("abort,pages");
    if (!job.check_accesses && !is("0") && !is("1") && !is("abort"))
      bad("ORIEL_CHECK", *c, "0, 1, abort, pages or pages,abort");
    job.check = is("0")                  ? checking::off
                : is("1") || is("pages") ? checking::report
                                         : checking::abort;
  }
  if (const auto seed = variable("ORIEL_ADVERSARY"))
    job.adversary = static_cast<std::uint64_t>(
        parse_number("ORIEL_ADVERSARY", *seed, 0, std::numeric_limits<int>::max()));
  if (const auto n = variable("ORIEL_CONTEXTS"))
    job.contexts = parse_number("ORIEL_CONTEXTS", *n, 1, 64);
  return job;
}

}  // namespace oriel::sessions
