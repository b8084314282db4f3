#include "tools/info/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

namespace oriel::tools {
namespace {

using json = nlohmann::ordered_json;
using seconds = std::chrono::duration<double>;

// "1.2 M"
std::string short_number(double n) {
  static constexpr std::array units{"", " k", " M", " G", " T"};
  std::size_t u = 0;
  for (; n >= 1000 && u + 1 < units.size(); ++u) n /= 1000;
  return u == 0 ? fmt::format("{:.0f}", n) : fmt::format("{:.3g}{}", n, units[u]);
}

const watched_window* same_window(const std::vector<watched_rank>& ranks, const watched_rank& r,
                                  const watched_window& w) {
  for (const watched_rank& other : ranks)
    if (other.process == r.process)
      for (const watched_window& its : other.windows)
        if (its.id == w.id) return &its;
  return nullptr;
}

// Where most of a window's operations go.
std::string main_route(const window_statistics& s) {
  std::string_view best = "";
  std::uint64_t most = 0;
  for (std::size_t r = 0; r < access_routes; ++r) {
    const auto route = static_cast<access_route>(r);
    if (const std::uint64_t n = s.of(route).operations; n > most) {
      most = n;
      best = name(route);
    }
  }
  return std::string(best);
}

std::string state_of(const watched_rank& r, const std::string& window, bool first) {
  if (r.ended) return "has ended";
  if (r.left) return "has left the job";
  std::string text;
  for (const watched_wait& w : r.waits)
    if (w.collective.empty() ? w.window == window : first)
      text += fmt::format("{}{}, {:.1f} s", text.empty() ? "" : "; ", in_words(w),
                          seconds(w.since).count());
  return text;
}

}  // namespace

std::string in_words(const watched_wait& w) {
  std::string whom = w.awaited < 0 ? "" : fmt::format("rank {}", w.awaited);
  if (!w.collective.empty()) {
    if (w.more > 0) whom += fmt::format(" and {} more", w.more);
    return whom.empty() ? w.collective : w.collective + ", for " + whom;
  }
  switch (w.cause) {
    case wait_cause::lock: {
      if (w.target < 0)
        return "a lock on all ranks" +
               (whom.empty() ? "" : ", of which " + whom + " has one alone");
      const std::string lock = fmt::format("lock of rank {}", w.target);
      if (w.sharers == 1) return lock + ", which one rank shares";
      if (w.sharers > 1) return fmt::format("{}, which {} ranks share", lock, w.sharers);
      return whom.empty() || w.awaited == w.target ? lock : lock + ", which " + whom + " has";
    }
    case wait_cause::fence:
      return whom.empty() ? "fence" : "fence, for " + whom;
    case wait_cause::start:
      return whom.empty() ? "start" : "start, for the post of " + whom;
    case wait_cause::wait:
      return "wait, for " + (whom.empty() ? "a completion" : "the completion of " + whom);
    case wait_cause::notification:
      return "a notification";
    case wait_cause::completion:
      return whom.empty() ? "completion" : "completion at " + whom;
    case wait_cause::room:
      return whom.empty() ? "room in a queue" : "room in a queue, for " + whom;
  }
  return "";
}

std::string table_of(const std::vector<watched_rank>& now, const std::vector<watched_rank>& before,
                     double since) {
  std::string text =
      fmt::format("{:>5} {:>8}  {:<20} {:>8} {:>8} {:>8} {:>8}  {:<13} {}\n", "rank", "process",
                  "window", "ops", "ops/s", "bytes/s", "retries", "mostly by", "waits for");
  for (const watched_rank& r : now) {
    if (r.windows.empty())
      text += fmt::format("{:>5} {:>8}  {:<20} {:>8} {:>8} {:>8} {:>8}  {:<13} {}\n", r.rank,
                          r.process, "-", "", "", "", "", "", state_of(r, "", true));
    for (const watched_window& w : r.windows) {
      const auto total = w.counted.total();
      std::string rate = "-", bytes = "-";
      if (const auto* const then = same_window(before, r, w); then != nullptr && since > 0) {
        const auto past = then->counted.total();
        rate = short_number(static_cast<double>(total.operations - past.operations) / since);
        bytes = short_number(static_cast<double>(total.bytes - past.bytes) / since);
      }
      text += fmt::format("{:>5} {:>8}  {:<20.20} {:>8} {:>8} {:>8} {:>8}  {:<13} {}\n", r.rank,
                          r.process, w.name, short_number(static_cast<double>(total.operations)),
                          rate, bytes, short_number(static_cast<double>(w.counted.retries)),
                          main_route(w.counted), state_of(r, w.name, &w == &r.windows.front()));
    }
  }
  return text;
}

json as_json(const std::vector<watched_rank>& ranks) {
  json list = json::array();
  for (const watched_rank& r : ranks) {
    json rank{{"rank", r.rank}, {"process", r.process}, {"left", r.left}, {"ended", r.ended}};
    rank["windows"] = json::array();
    for (const watched_window& w : r.windows) {
      json window{{"window", w.name},
                  {"operations", w.counted.total().operations},
                  {"bytes", w.counted.total().bytes},
                  {"packets", w.counted.packets},
                  {"messages", w.counted.messages},
                  {"packed", w.counted.packed},
                  {"retries", w.counted.retries},
                  {"agent_wakes", w.counted.agent_wakes}};
      for (std::size_t k = 0; k < operation_kinds; ++k) {
        const auto kind = static_cast<operation_kind>(k);
        if (const auto t = w.counted.of(kind); t.operations != 0)
          window["by_kind"][std::string(name(kind))] = t.operations;
      }
      for (std::size_t c = 0; c < wait_causes; ++c)
        if (const auto& waited = w.counted.waits[c]; waited.times != 0)
          window["waits"][std::string(name(static_cast<wait_cause>(c)))] = {
              {"times", waited.times}, {"seconds", seconds(waited.time).count()}};
      rank["windows"].push_back(std::move(window));
    }
    rank["waits_for"] = json::array();
    for (const watched_wait& w : r.waits)
      rank["waits_for"].push_back(
          {{"window", w.window},
           {"cause", w.collective.empty() ? std::string(name(w.cause)) : w.collective},
           {"target", w.target},
           {"awaited", w.awaited},
           {"more", w.more},
           {"sharers", w.sharers},
           {"seconds", seconds(w.since).count()}});
    list.push_back(std::move(rank));
  }
  return list;
}

void watch(pid_t process) {
  const watched_job job(process);
  std::vector<watched_rank> before;
  auto then = steady_now();
  const bool clears = isatty(STDOUT_FILENO) != 0;
  for (;;) {
    const auto now = steady_now();
    const std::vector<watched_rank> ranks = job.look(now);
    fmt::print("{}{}\n", clears ? "\033[H\033[2J" : "",
               table_of(ranks, before, seconds(now - then).count()));
    std::fflush(stdout);
    if (std::all_of(ranks.begin(), ranks.end(),
                    [](const watched_rank& r) { return r.ended || r.left; }))
      return;
    before = ranks;
    then = now;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace oriel::tools
