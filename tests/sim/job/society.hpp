// The pretended processes of a job as they know of each other before and beside the fabric: how
// they meet while sessions open, which of them have left, and what each finds out about the death
// of another, when.
//
// One a run. Threads: those of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "session/node/fate.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

class society {
 public:
  // No rank finds out later than `latest` that another is gone, or that one of `rails` has failed.
  society(scheduler& run, int ranks, int rails = 1,
          nanoseconds latest = std::chrono::milliseconds(500));
  ~society();
  society(const society&) = delete;
  society& operator=(const society&) = delete;
  static society& of_run() noexcept { return *current_; }

  // As an allgather callback of a program's. Returns false where a rank is gone without its part.
  bool gather(int rank, const void* mine, std::size_t bytes, void* all);
  // It closes its session, or could not open it.
  void leave(int rank) noexcept;
  // Calls look(rank) for those that have died or left. So a look at all of them takes as long as
  // there are such.
  template <class Look>
  void each_gone(Look look) const {
    for (const std::vector<int>* const some : {&run_.dead(), &left_})
      for (std::size_t i = 0; i < some->size(); ++i) look((*some)[i]);
  }
  // What `rank` finds out now, which is later than when it happens.
  sessions::fate found(int rank, int of);
  // The rail has failed, unless it is the last: returns whether it has.
  bool rail_fails(int rail);
  // Bit k: `rank` has found out about the k-th.
  [[nodiscard]] std::uint32_t failed_rails(int rank);

 private:
  struct news {
    std::map<std::pair<int, int>, nanoseconds> when;  // the first finds out about the second
    std::map<int, int> alone;                         // who does long before all others, or -1
  };
  // All that has not been drawn yet.
  nanoseconds finding(news&, int rank, int of);
  struct member {
    std::vector<std::vector<std::byte>> parts;  // of the meetings so far
    bool left = false;
    nanoseconds left_at{};
  };
  static society* current_;
  scheduler& run_;
  nanoseconds latest_;
  std::vector<member> members_;
  std::vector<int> left_;
  news of_ranks_;
  int rails_;
  std::vector<int> failed_rails_;
  news of_rails_;
};

}  // namespace oriel::sim
