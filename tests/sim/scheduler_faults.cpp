// What befalls simulated processes: they die, or stand still for a time, before some step of their
// own.
#include <utility>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

void scheduler::die(int process) {
  if (!std::exchange(process_of(process).dead, true)) dead_.push_back(process);
}

void scheduler::kill_at(int process, std::uint64_t step, std::vector<int> others) {
  process_of(process).faults.push_back({step, std::nullopt, std::move(others)});
}

void scheduler::kill_within(int process, std::uint64_t steps, std::vector<int> others) {
  kill_at(process, process_of(process).steps + steps, std::move(others));
}

void scheduler::stop_within(int process, std::uint64_t steps, nanoseconds time,
                            std::vector<int> others) {
  stop_at(process, process_of(process).steps + steps, time, std::move(others));
}

void scheduler::stop_at(int process, std::uint64_t step, nanoseconds time,
                        std::vector<int> others) {
  process_of(process).faults.push_back({step, time, std::move(others)});
}

bool scheduler::stands_still(int process) const noexcept {
  return processes_[static_cast<std::size_t>(process)].goes_on_at > now_;
}

// Returns whether the one that runs can go on no more, now or ever.
bool scheduler::suffer_faults() {
  pretended_process& mine = process_of(process());
  for (auto& f : mine.faults) {
    if (f.suffered || mine.steps < f.before) continue;
    f.suffered = true;
    record(f.time ? "is stopped" : "is killed", nullptr, 0);
    f.others.push_back(process());
    for (const int p : f.others)
      if (f.time)
        process_of(p).goes_on_at = now_ + *f.time;
      else
        die(p);
    return true;
  }
  if (how_.steps_between_stalls != 0 && chance(how_.steps_between_stalls)) {
    const nanoseconds stall(draw(200'000'000));
    stalled_ += stall;
    pass_time(stall);
  }
  return false;
}

}  // namespace oriel::sim
