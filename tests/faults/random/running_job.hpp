// One job of the random-fault suite as its driver sees it: started on hosts, watched by its board,
// ended when a rank stands still for too long, and judged.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/random/board.hpp"
#include "tests/faults/random/plan.hpp"

namespace oriel::testing {

enum class verdict : std::uint8_t { ok, hung, split, wrong, error, crashed };
inline constexpr int verdicts = 6;
const char* name(verdict) noexcept;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int slower = 3;
#else
inline constexpr int slower = 1;
#endif

struct job_options {
  std::string hosts_program;  // oriel-hosts
  std::string rank_program;
  // Deaths are noticed within ten seconds, so nothing takes longer on a machine that is not busy.
  std::chrono::seconds patience{25 * slower};  // with one rank in one step
  bool stacks = false;                         // of those that hang, by gdb
};

struct judgement {
  verdict what = verdict::ok;
  std::string text;
  double seconds = 0;
};

class running_job {
 public:
  running_job(const fault_plan&, const job_options&);
  ~running_job();
  running_job(const running_job&) = delete;
  running_job& operator=(const running_job&) = delete;

  // Looks; never waits, but for the end of a job that it ends.
  std::optional<judgement> poll();
  [[nodiscard]] const fault_plan& plan() const noexcept { return plan_; }

 private:
  using clock = std::chrono::steady_clock;
  struct sighting {
    std::uint64_t steps = 0;
    clock::time_point changed;
  };
  void start();
  void end() noexcept;
  [[nodiscard]] bool stands_still();
  judgement judged(bool hangs);
  [[nodiscard]] std::string teams_that_differ() const;
  [[nodiscard]] std::string whereabouts() const;
  [[nodiscard]] std::string stacks() const;
  [[nodiscard]] std::string output() const;
  [[nodiscard]] bool any_finding() const noexcept;

  fault_plan plan_;
  job_options options_;
  std::string directory_;
  std::optional<mapped_board> board_;
  pid_t pid_ = -1;
  bool ended_ = false;
  clock::time_point began_ = clock::now();
  std::vector<sighting> sightings_;
  std::optional<clock::time_point> found_;  // since when a rank has something to report
};

}  // namespace oriel::testing
