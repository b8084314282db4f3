// The words of windows' locks, as they lie in the memory of the nodes that are watched: who has a
// lock for which a rank of any of these nodes waits. A window's words are known of each rank that
// has counted something on it, or has been asked for its lock by another node and not granted it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "session/node/observed_node.hpp"
#include "sync/group_lock.hpp"
#include "tools/info/watched_job.hpp"
#include "win/statistics/page.hpp"

namespace oriel::tools {

class held_locks {
 public:
  void add(const sessions::observed_node&, const win::statistics_page&);
  // Writes to a wait for a lock who has it. `seen`: the rank whose lock it is is watched, too;
  // where its words are not known, nobody is awaited then.
  void look_at(watched_wait&, bool seen) const;

 private:
  using word = sync::group_lock_state;

  std::map<std::pair<std::uint64_t, int>, const word*> by_rank_;  // of a window
  std::map<std::uint64_t, std::vector<const word*>> by_window_;   // those of whole nodes
};

}  // namespace oriel::tools
