// A running job, as the pages of counters in its nodes' memory show it (win/statistics/page.hpp),
// whether its ranks work or hang. What a wait does not say of locks, their words do
// (tools/info/held_locks.hpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oriel/statistics.hpp"
#include "session/node/observed_node.hpp"

namespace oriel::tools {

struct watched_wait {
  std::string window{};
  std::uint64_t window_id = 0;
  // "team::barrier", "shmem_set_lock": the rank waits in it, and in no window
  std::string collective{};
  wait_cause cause{};
  int target = -1;   // whose lock, or answer: a rank of the job; below 0: no single one's
  int awaited = -1;  // who has to do something first; below 0: not known
  int more = 0;      // and how many besides
  int sharers = 0;   // of a lock: how many have it together
  std::chrono::nanoseconds since{0};
};

struct watched_window {
  std::uint64_t id = 0;
  std::string name;
  window_statistics counted;
};

struct watched_rank {
  int rank = 0;
  pid_t process = 0;
  bool left = false;                    // it has closed its session
  bool ended = false;                   // its process is not there any more
  std::vector<watched_window> windows;  // that have counted something
  std::vector<watched_wait> waits;  // that last, of its threads; one in a collective comes first
};

class watched_job {
 public:
  // `process`: a rank, of whose node the ranks are watched; or a process that started ranks, itself
  // or by others: oriel-run, mpiexec. Throws arg where it is neither, or has started several jobs;
  // system for another user's.
  explicit watched_job(pid_t process);

  // In the order of their numbers. `now`: of the steady clock.
  [[nodiscard]] std::vector<watched_rank> look(std::chrono::nanoseconds now) const;

 private:
  void require_one_job(pid_t process) const;
  std::vector<sessions::observed_node> nodes_;
};

// Of the steady clock, since it began.
std::chrono::nanoseconds steady_now() noexcept;

}  // namespace oriel::tools
