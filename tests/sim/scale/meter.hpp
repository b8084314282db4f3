// Measures what ranks do together in a simulation at scale: all begin at one moment, and what each
// has sent and how long it took is taken down once all have ended, and what they left to be done is
// done. Meeting costs no messages and no time of theirs.
//
// Threads: those of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/scale/routed_network.hpp"

namespace oriel::sim {

class meter {
 public:
  // Of one of the times that it was done.
  struct row {
    std::string what;
    double most_messages = 0;    // of the rank that sends most
    double median_messages = 0;  // half of the ranks send no more
    double all_messages = 0;     // of all ranks
    double most_bytes = 0;       // of the rank that sends most bytes
    double microseconds = 0;     // of the rank that takes longest
  };

  // `stride`: the first of so many ranks runs, and the others are stood for.
  meter(event_scheduler& run, routed_network& wires, int ranks, int stride = 1);
  ~meter() { current_ = nullptr; }
  meter(const meter&) = delete;
  meter& operator=(const meter&) = delete;
  // The run's.
  static meter& of_run() noexcept { return *current_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }

  // Called by all ranks that live. `work` is done so often.
  void measure(const char* what, int times, const std::function<void()>& work) {
    all_meet([this] { before_ = sent_so_far(); });
    const nanoseconds begun = run_.now();
    for (int i = 0; i < times; ++i) work();
    longest_ = std::max(longest_, run_.now() - begun);
    all_meet([&] { take_down(what, times); });
  }
  // Blocks until all that live are here; the last one does `last`, once all is quiet.
  void all_meet(const std::function<void()>& last);
  // The rank, which runs, is no more; nobody is at a meeting.
  void lost(int rank);
  // As a launcher's allgather. What it returns is made once all are here: what each rank has while
  // it waits, the run has as often as there are ranks. Those that are stood for give what the rank
  // does that stands for them.
  std::vector<std::string> gather(const std::string& mine);
  // How many gathers there were, and how many bytes a rank has received by them.
  [[nodiscard]] std::size_t gathers() const noexcept { return turns_.front(); }
  [[nodiscard]] std::size_t gathered_bytes() const noexcept { return gathered_bytes_; }

  [[nodiscard]] const std::vector<row>& rows() const noexcept { return rows_; }

 private:
  using counts = std::vector<routed_network::traffic>;
  struct gathering {
    std::vector<std::string> parts;
    int here = 0;
    int left = 0;
  };
  [[nodiscard]] counts sent_so_far() const;
  void take_down(const char* what, int times);

  static meter* current_;
  event_scheduler& run_;
  routed_network& wires_;
  int ranks_;
  int stride_;
  int living_;  // and running
  std::vector<int> here_;
  int arrived_ = 0;
  std::uint64_t meetings_ = 0;
  counts before_;
  nanoseconds longest_{};
  std::vector<row> rows_;
  std::vector<std::size_t> turns_;  // of those that run
  std::map<std::size_t, gathering> gatherings_;
  std::size_t gathered_bytes_ = 0;
};

}  // namespace oriel::sim
