// oriel-hosts: starts the ranks of a job on several hosts that one machine pretends to be.
// docs/LAUNCHING.md is its manual.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oriel/errc.hpp"
#include "tools/hosts/host_network.hpp"
#include "tools/run/command_line.hpp"
#include "tools/run/schedule.hpp"
#include "tools/run/supervise.hpp"

namespace oriel::tools {
namespace {

constexpr int most_ranks = 4096;

struct request {
  options job;
  int hosts = 1;
  int ranks_per_host = 1;
  double timeout_s = 120;
  std::vector<std::string> cuts;   // HOST@SECONDS or HOST@FROM-UNTIL
  std::vector<std::string> kills;  // RANK@SECONDS
  bool fall_back = false;
  bool require_namespaces = false;
  [[nodiscard]] int ranks() const { return hosts * ranks_per_host; }
};

struct moment {
  int which = 0;
  seconds after{};
  std::optional<seconds> until;
};

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc{} && stop == end;
}

bool is_time(double t) {
  return t >= 0 && t < 1e6;
}

// "WHICH@SECONDS", where there are `count` to choose from; what may end, "WHICH@FROM-UNTIL" too.
moment read_moment(const char* option, const std::string& text, int count, bool may_end) {
  const std::string_view all = text;
  const auto at = all.find('@');
  const auto dash = may_end ? all.find('-', at) : std::string_view::npos;
  moment m;
  double after = -1, until = 0;
  const bool ends = at != std::string_view::npos && dash != std::string_view::npos;
  if (at == std::string_view::npos || !read_number(all.substr(0, at), m.which) || m.which < 0 ||
      m.which >= count || !read_number(all.substr(at + 1, ends ? dash - at - 1 : dash), after) ||
      !is_time(after) ||
      (ends && (!read_number(all.substr(dash + 1), until) || !is_time(until) || until <= after)))
    throw error(errc::arg,
                fmt::format("{} is '{}'; valid: a number from 0 to {}, @ and seconds{}", option,
                            text, count - 1, may_end ? ", or from when to when: 1@5-13" : ""));
  m.after = seconds(after);
  if (ends) m.until = seconds(until);
  return m;
}

// Empty where the hosts have to be pretended in the present namespace.
std::optional<host_network> make_network(const request& r) {
  if (r.fall_back) return std::nullopt;
  try {
    obtain_right_to_namespaces();
    return host_network(r.hosts);
  } catch (const error& e) {
    if (r.require_namespaces) throw;
    fmt::print(stderr, "oriel-hosts: all hosts are pretended in one network namespace: {}\n",
               e.what());
    return std::nullopt;
  }
}

std::vector<rank_placement> places_on(const request& r,
                                      const std::optional<host_network>& network) {
  std::vector<rank_placement> places;
  for (int host = 0; host < r.hosts; ++host) {
    rank_placement place;
    if (network)
      place.network = network->host(host).descriptor();
    else
      place.node_id = fmt::format("host{}-{}", host, getpid());
    places.insert(places.end(), static_cast<std::size_t>(r.ranks_per_host), place);
  }
  return places;
}

// Each rank listens on its host.
meeting_points meet(const request& r, const std::optional<host_network>& network) {
  if (!network) return meeting_points(r.ranks());
  return meeting_points(r.ranks(), [&r, &network](int rank) {
    const int host = rank / r.ranks_per_host;
    listener made;
    network->host(host).visit([&] { made = listen_on(host_network::address(host)); });
    return made;
  });
}

// Says so where the kernel took long over a change of a link: what the ranks meet comes later then.
template <class Change>
void change_link(const moment& m, const char* how, Change change) {
  if (const auto late = late_by(change))
    fmt::print(stderr, "oriel-hosts: the link of host {} went {} late by {:.1f} s\n", m.which, how,
               late->count());
}

int run(request& r) {
  if (r.ranks() > most_ranks)
    throw error(errc::arg, fmt::format("{} hosts of {} ranks are more than {} ranks", r.hosts,
                                       r.ranks_per_host, most_ranks));
  std::vector<moment> cuts;
  for (const std::string& text : r.cuts) cuts.push_back(read_moment("--cut", text, r.hosts, true));
  for (const std::string& text : r.kills) {
    const moment m = read_moment("--kill", text, r.ranks(), false);
    r.job.deaths.push_back({m.which, m.after});
  }
  r.job.timeout = seconds(r.timeout_s);
  r.job.outlast_failures = !r.cuts.empty() || !r.kills.empty();

  const std::optional<host_network> network = make_network(r);
  if (!network && !cuts.empty())
    throw error(errc::arg, "--cut needs network namespaces; pretended hosts have no links");
  for (const moment& m : cuts) {
    r.job.faults.push_back(
        {m.after, [&network, m] { change_link(m, "down", [&] { network->cut(m.which); }); }});
    if (m.until)
      r.job.faults.push_back(
          {*m.until, [&network, m] { change_link(m, "up", [&] { network->mend(m.which); }); }});
  }
  return supervise(r.job, places_on(r, network), meet(r, network));
}

}  // namespace
}  // namespace oriel::tools

int main(int argc, char** argv) {
  using namespace oriel::tools;
  request r;
  r.job.program = "oriel-hosts";
  CLI::App app{"Starts the ranks of an oriel job on hosts made of network namespaces.",
               "oriel-hosts"};
  app.add_option("--hosts", r.hosts, "how many hosts")
      ->required()
      ->check(CLI::Range(1, most_hosts));
  app.add_option("--ranks-per-host", r.ranks_per_host, "how many ranks on each (default: 1)")
      ->check(CLI::Range(1, most_ranks));
  app.add_option("--timeout", r.timeout_s, "end the job after that many seconds (default: 120)")
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--cut", r.cuts, "HOST@SECONDS or HOST@FROM-UNTIL: set that host's link down then")
      ->allow_extra_args(false);
  app.add_option("--kill", r.kills, "RANK@SECONDS: kill that rank then")->allow_extra_args(false);
  app.add_flag("--tag", r.job.tag, "begin each line of output with [rank]");
  CLI::Option* const fall_back = app.add_flag(
      "--fallback", r.fall_back, "pretend the hosts, as where namespaces are not permitted");
  app.add_flag("--require-namespaces", r.require_namespaces, "fail where they are not permitted")
      ->excludes(fall_back);
  try {
    r.job.command = parse_command_line(app, argc, argv);
    return run(r);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const oriel::error& e) {
    fmt::print(stderr, "oriel-hosts: {}\n", e.what());
    return 2;
  }
}
