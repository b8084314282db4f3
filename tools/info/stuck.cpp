// Whose turn it is among ranks that wait for each other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/info/watch.hpp"

namespace oriel::tools {
namespace {

// Whom each rank that waits waits for, where that is known.
using arrows = std::map<int, std::set<int>>;

std::string list_of(const std::vector<int>& ranks, const char* between) {
  std::string text;
  for (const int r : ranks) text += (text.empty() ? "" : between) + std::to_string(r);
  return text;
}

// Adds the ranks from `at` on that lead back to where they began; true where they do.
bool goes_round(const arrows& from, int at, std::vector<int>& path, std::set<int>& seen) {
  if (!path.empty() && at == path.front()) return true;
  if (!seen.insert(at).second) return false;
  path.push_back(at);
  if (const auto next = from.find(at); next != from.end())
    for (const int to : next->second)
      if (goes_round(from, to, path, seen)) return true;
  path.pop_back();
  return false;
}

std::string circles(const arrows& from) {
  std::string text;
  std::set<int> told;
  for (const auto& [start, to] : from) {
    std::vector<int> path;
    std::set<int> seen;
    if (told.contains(start) || !goes_round(from, start, path, seen)) continue;
    told.insert(path.begin(), path.end());
    path.push_back(start);
    text += "these wait for each other in a circle: rank " + list_of(path, ", for rank ") + "\n";
  }
  return text;
}

std::string standing_of(const std::vector<watched_rank>& ranks, int r) {
  const auto found =
      std::find_if(ranks.begin(), ranks.end(), [r](const auto& other) { return other.rank == r; });
  if (found == ranks.end()) return "which is on another node: look there";
  if (found->ended) return "whose process has ended";
  if (found->left) return "which has left the job";
  return fmt::format("process {}, which waits in no window or team of oriel's", found->process);
}

}  // namespace

std::string stuck_text(const std::vector<watched_rank>& ranks) {
  std::string text;
  arrows waits;
  for (const watched_rank& r : ranks)
    for (const watched_wait& w : r.waits) {
      const std::string where =
          w.collective.empty() ? fmt::format("window '{}': ", w.window) : std::string();
      text += fmt::format("rank {} (process {}) waits for {:.1f} s in {}{}\n", r.rank, r.process,
                          std::chrono::duration<double>(w.since).count(), where, in_words(w));
      auto& whom = waits[r.rank];
      if (w.awaited >= 0) whom.insert(w.awaited);
    }
  std::set<int> turns;
  for (const auto& [r, whom] : waits)
    for (const int other : whom)
      if (!waits.contains(other)) turns.insert(other);
  for (const int r : turns)
    text += fmt::format("it is the turn of rank {}, {}\n", r, standing_of(ranks, r));
  return text + circles(waits);
}

}  // namespace oriel::tools
