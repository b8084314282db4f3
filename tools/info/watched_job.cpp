#include "tools/info/watched_job.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "oriel/errc.hpp"
#include "session/team/collective_call.hpp"
#include "tools/info/held_locks.hpp"
#include "win/statistics/counters.hpp"
#include "win/statistics/page.hpp"

namespace oriel::tools {
namespace {

namespace fs = std::filesystem;

// So many windows of a rank are shown, and so many threads count: a list that is longer was changed
// while it was read.
constexpr int most_windows = 4096;
constexpr int longest_list = static_cast<int>(win::most_threads);

std::optional<pid_t> number_of(const std::string& name) {
  pid_t pid = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return failed == std::errc{} && end == name.data() + name.size() ? std::optional(pid)
                                                                   : std::nullopt;
}

// The parent of a process; 0 of one that has ended. The name before it may hold anything.
pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return 0;
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return 0;
  return std::atoi(line.c_str() + name_end + 4);
}

// `ancestor` and all that it has started, and these.
std::vector<pid_t> family_of(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed))
    if (const auto pid = number_of(entry.path().filename()))
      children.emplace(parent_of(*pid), *pid);
  std::vector<pid_t> family{ancestor};
  for (std::size_t i = 0; i < family.size() && family.size() <= children.size(); ++i)
    for (auto [c, end] = children.equal_range(family[i]); c != end; ++c)
      family.push_back(c->second);
  return family;
}

void add_wait(watched_rank& rank, const watched_window& window, const win::present_wait& w,
              std::chrono::nanoseconds now) {
  const std::uint32_t cause = w.cause.load(std::memory_order_acquire);
  if (cause == 0 || cause > wait_causes) return;
  const std::chrono::nanoseconds began(w.since.load(std::memory_order_relaxed));
  rank.waits.push_back({.window = window.name,
                        .window_id = window.id,
                        .cause = static_cast<wait_cause>(cause - 1),
                        .target = w.target.load(std::memory_order_relaxed),
                        .awaited = w.awaited.load(std::memory_order_relaxed),
                        .since = std::max(now - began, std::chrono::nanoseconds(0))});
}

// What a collective, or a call of the program's, is named.
std::string name_of(const sessions::present_collective& c) {
  std::array<char, sessions::present_collective::longest_name> name;
  for (std::size_t i = 0; i < std::size(c.name); ++i) {
    const std::uint64_t word = c.name[i].load(std::memory_order_relaxed);
    std::memcpy(name.data() + i * sizeof word, &word, sizeof word);
  }
  if (name[0] != 0) return {name.data(), strnlen(name.data(), name.size())};
  const std::array<std::uint64_t, 2> words{c.call[0].load(std::memory_order_relaxed),
                                           c.call[1].load(std::memory_order_relaxed)};
  return describe(std::bit_cast<sessions::collective_call>(words));
}

void add_collective(watched_rank& rank, const sessions::present_collective& c,
                    std::chrono::nanoseconds now) {
  const std::chrono::nanoseconds began(c.since.load(std::memory_order_acquire));
  if (began.count() == 0) return;
  rank.waits.push_back({.collective = name_of(c),
                        .awaited = c.awaited.load(std::memory_order_relaxed),
                        .more = c.more.load(std::memory_order_relaxed),
                        .since = std::max(now - began, std::chrono::nanoseconds(0))});
}

void add_windows(watched_rank& rank, const sessions::observed_node& node, std::uint64_t first,
                 std::chrono::nanoseconds now, held_locks& locks) {
  const auto* page = node.at<win::statistics_page>(first);
  for (int i = 0; page != nullptr && i < most_windows; ++i) {
    if (page->mark.load(std::memory_order_acquire) != win::statistics_page::valid) return;
    watched_window w;
    w.id = page->window;
    w.name.assign(page->name, strnlen(page->name, sizeof page->name));
    const win::tallies* one = &page->first;
    for (int j = 0; one != nullptr && j < longest_list; ++j) {
      win::add(w.counted, *one);
      add_wait(rank, w, one->now, now);
      one = node.at<win::tallies>(one->next.load(std::memory_order_acquire));
    }
    locks.add(node, *page);
    rank.windows.push_back(std::move(w));
    page = node.at<win::statistics_page>(page->next.load(std::memory_order_acquire));
  }
}

}  // namespace

watched_job::watched_job(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH)
    throw error(errc::arg, "there is no process " + std::to_string(process));
  if (auto node = sessions::observed_node::of(process)) {
    nodes_.push_back(std::move(*node));
    return;
  }
  for (const pid_t pid : family_of(process)) {
    auto node = pid == process ? std::nullopt : sessions::observed_node::of(pid);
    if (node && std::none_of(nodes_.begin(), nodes_.end(),
                             [&](const auto& known) { return known.file() == node->file(); }))
      nodes_.push_back(std::move(*node));
  }
  if (nodes_.empty())
    throw error(errc::arg, "process " + std::to_string(process) +
                               " is no rank of a job that is open, and has started none; valid: "
                               "the number of a rank's process, of oriel-run or of mpiexec");
  require_one_job(process);
}

// The ranks of several have the same numbers.
void watched_job::require_one_job(pid_t process) const {
  std::set<int> jobs;
  for (const auto& node : nodes_)
    if (node.job() != 0) jobs.insert(node.job());  // else its ranks are about to tell
  if (jobs.size() <= 1) return;
  std::string text;
  for (const int job : jobs) text += " " + std::to_string(job);
  throw error(errc::arg, "process " + std::to_string(process) +
                             " has started several jobs, whose ranks 0 are the processes" + text +
                             "; valid: the number of a rank's process, or of what has started one "
                             "job alone");
}

std::vector<watched_rank> watched_job::look(std::chrono::nanoseconds now) const {
  std::vector<watched_rank> ranks;
  held_locks locks;
  for (const sessions::observed_node& node : nodes_)
    for (int i = 0; i < node.members(); ++i) {
      const sessions::member_line& line = node.member(i);
      watched_rank r;
      r.process = line.pid.load(std::memory_order_acquire);
      if (r.process == 0) continue;  // not open yet
      r.rank = line.rank.load(std::memory_order_relaxed);
      r.left = line.left.load(std::memory_order_relaxed) != 0;
      r.ended = kill(r.process, 0) != 0 && errno == ESRCH;
      if (!r.left && !r.ended) {
        add_collective(r, line.collective, now);
        add_windows(r, node, line.pages.load(std::memory_order_acquire), now, locks);
      }
      for (watched_window& w : r.windows)
        w.counted.agent_wakes = line.bell.wakes.load(std::memory_order_relaxed);
      ranks.push_back(std::move(r));
    }
  std::set<int> seen;
  for (const watched_rank& r : ranks) seen.insert(r.rank);
  for (watched_rank& r : ranks)
    for (watched_wait& w : r.waits) locks.look_at(w, seen.contains(w.target));
  std::sort(ranks.begin(), ranks.end(),
            [](const watched_rank& a, const watched_rank& b) { return a.rank < b.rank; });
  return ranks;
}

std::chrono::nanoseconds steady_now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace oriel::tools
