// The pretended processes of a job as they know of each other before and beside the fabric: how
// they meet while sessions open, which of them have left, and what each finds out about the death
// of another, when.
//
// One a run. Threads: those of the run.
#pragma once

#include <cstddef>
#include <vector>

#include "session/node/fate.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

class society {
 public:
  society(scheduler& run, int ranks);
  ~society();
  society(const society&) = delete;
  society& operator=(const society&) = delete;
  static society& of_run() noexcept { return *current_; }

  // As an allgather callback of a program's. Returns false where a rank is gone without its part.
  bool gather(int rank, const void* mine, std::size_t bytes, void* all);
  // It closes its session, or could not open it.
  void leave(int rank) noexcept;
  // What `rank` finds out now, which is later than when it happens.
  sessions::fate found(int rank, int of);

 private:
  struct member {
    std::vector<std::vector<std::byte>> parts;  // of the meetings so far
    bool left = false;
    nanoseconds left_at{};
  };
  // From when on the first finds that the second is gone.
  [[nodiscard]] nanoseconds& finding(int rank, int of) noexcept;

  static society* current_;
  scheduler& run_;
  std::vector<member> members_;
  std::vector<nanoseconds> findings_;  // by both; 0: nothing to find yet
};

}  // namespace oriel::sim
