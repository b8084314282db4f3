// Runs the threads of very many pretended processes: each goes on until it waits, and time leaps to
// the next event, whoever's it is. So processes compute side by side, in no time but for what they
// sleep for; and a thread that goes on costs as much among thousands as among two. No accesses are
// steps, nothing is drawn: the order is that in which threads came to be ready.
//
// What they wait with (sync/system.hpp) and the C++ runtime's own of each thread are as in other
// simulations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

class event_scheduler final : public scheduler {
 public:
  // `look`: how long a thread that spins takes to look again.
  event_scheduler(nanoseconds longest, nanoseconds look);

  // --- By threads of the run
  // From now on the process makes no steps, and nothing of it is undone.
  void kill(int process);
  // The run ends here, whatever its threads are at.
  [[noreturn]] void end() { stop_running(ending::ended, ""); }

  void map(const void* first, std::size_t bytes, const void* stands_for, std::string name) override;
  void unmap(const void* first) override;
  void step(const char* what, const void* at = nullptr) override;
  void give_way(const char* what) override;
  bool sleep(const char* what, const void* at, std::optional<nanoseconds> at_most) override;
  void sleep_on_word(const void* at, std::uint32_t expected, nanoseconds at_most) override;
  void wake(const void* place) override;
  void note(std::uint64_t) noexcept override {}

 private:
  struct mapped {
    std::size_t bytes;
    const std::byte* stands_for;
  };
  struct alarm {
    nanoseconds when;
    std::uint64_t number;  // of those at one moment the first comes first
    fiber* of;
    std::uint64_t sleep;
    bool operator>(const alarm& other) const noexcept {
      return when != other.when ? when > other.when : number > other.number;
    }
  };

  void may_begin(fiber&) override;
  fiber* choose() noexcept override;
  [[nodiscard]] const void* place_of(const void* at) const noexcept;

  std::map<const std::byte*, mapped> mapped_;  // by where they begin
  std::deque<fiber*> ready_;
  std::priority_queue<alarm, std::vector<alarm>, std::greater<>> alarms_;
  std::unordered_map<const void*, std::vector<fiber*>> asleep_at_;
  std::vector<std::uint64_t> sleeps_;  // by thread: so often it has fallen asleep
  std::uint64_t alarms_so_far_ = 0;
};

}  // namespace oriel::sim
