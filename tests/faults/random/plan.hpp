// What happens to one job of the random-fault suite: who dies, when and how, all from one seed. The
// driver and every rank make the same plan.
//
// A job goes in rounds. In a round the ranks of a team build windows, do several kinds of work on
// them, free them and shrink the team; the team of the next round is what is left. The job is done
// when a round of every kind of work has succeeded among those who were never to die.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oriel::testing {

struct job_shape {
  int ranks = 6;
  int hosts = 3;
  // Network namespaces for the hosts; only pretended ones hold different numbers of ranks.
  bool network = true;

  [[nodiscard]] int host_of(int rank) const noexcept { return rank * hosts / ranks; }
};

enum class manner : std::uint8_t { killed, stopped, exits, leaves };
enum class moment : std::uint8_t { operation, timer, construction, freeing, shrinking };

struct planned_death {
  int victim = 0;  // by rank of the job
  int round = 0;
  moment when = moment::operation;
  manner how = manner::killed;
  int work = 0;  // of the round, from 0: for operation
  // Steps of that work, or of the construction; windows freed; microseconds for timer, shrinking.
  std::uint64_t after = 0;
  int stopped_ms = 0;  // between SIGSTOP and SIGKILL
};

inline constexpr int most_ranks = 8;
inline constexpr int works_before_death = 4;  // at most, of a round in which somebody dies

struct fault_plan {
  std::uint64_t seed = 0;
  job_shape shape;
  std::vector<planned_death> deaths;
  // Survivors that notice late go on with windows that others free already.
  bool late_accesses = true;

  [[nodiscard]] const planned_death* death_of(int rank) const noexcept;
  [[nodiscard]] bool survives(int rank) const noexcept { return death_of(rank) == nullptr; }
  [[nodiscard]] bool any_in(int round) const noexcept;
  [[nodiscard]] std::vector<int> survivors() const;
};

fault_plan make_plan(std::uint64_t seed, const job_shape&);
// "seed 7, 6 ranks on 3 hosts: rank 4 is killed at step 17 of work 2 of round 0".
std::string described(const fault_plan&);

}  // namespace oriel::testing
