// What sync/system.hpp stands for in a simulation.
#include "sync/system.hpp"

#include "sync/process_barrier.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sync {
namespace {

sim::scheduler& simulation() noexcept {
  return *sim::scheduler::active();
}

// Nobody's is thread::id{}, and the scheduler counts from 0.
thread::id id_of(int number) noexcept {
  return number + 1;
}
int number_of(thread::id id) noexcept {
  return id - 1;
}

}  // namespace

clock::time_point clock::now() noexcept {
  const sim::scheduler* const run = sim::scheduler::active();
  return time_point(run == nullptr ? duration{} : run->now());
}

void sleep_for(std::chrono::nanoseconds time) {
  simulation().step("goes to sleep");
  simulation().sleep("sleeps for a time", nullptr, time);
}

void cpu_relax() noexcept {
  simulation().give_way("pauses");
}

void yield() noexcept {
  simulation().give_way("yields");
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds at_most) noexcept {
  simulation().sleep_on_word(&word, expected, at_most);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept {
  sim::scheduler& run = simulation();
  run.step("wakes", &word);
  run.drain();
  run.wake(&word);
}

bool join_process_barriers() noexcept {
  return true;
}

errc process_barrier() noexcept {
  simulation().step("has all perform a barrier");
  simulation().drain_all();
  return errc::success;
}

// Locks: only threads of one process meet here.
bool shared_mutex::try_lock() noexcept {
  simulation().step("tries a lock");
  if (held_ || sharers_ != 0) return false;
  return held_ = true;
}

void shared_mutex::lock() {
  while (!try_lock()) simulation().sleep("waits for a lock", this, std::nullopt);
}

void shared_mutex::unlock() noexcept {
  simulation().drain();
  held_ = false;
  simulation().wake(this);
  simulation().step("unlocks");
}

bool shared_mutex::try_lock_shared() noexcept {
  simulation().step("tries to share a lock");
  if (held_) return false;
  ++sharers_;
  return true;
}

void shared_mutex::lock_shared() {
  while (!try_lock_shared()) simulation().sleep("waits for a lock", this, std::nullopt);
}

void shared_mutex::unlock_shared() noexcept {
  simulation().drain();
  if (--sharers_ == 0) simulation().wake(this);
  simulation().step("unlocks");
}

void condition_variable::sleep(std::uint64_t seen) noexcept {
  if (notified_ == seen) simulation().sleep("waits for a condition", this, std::nullopt);
}

void condition_variable::notify_all() noexcept {
  simulation().step("notifies");
  ++notified_;
  simulation().wake(this);
}

thread::id thread::start(std::function<void()> run) {
  sim::scheduler& all = simulation();
  all.drain();
  const int process = all.process();
  return id_of(
      all.start(process, "a thread of process " + std::to_string(process), std::move(run)));
}

void thread::join() {
  sim::scheduler& run = simulation();
  run.step("joins");
  run.join(number_of(number_));
  number_ = none;
}

thread::id id_of_this_thread() noexcept {
  return id_of(simulation().number());
}

void* own_of_process(const void* variable, std::shared_ptr<void> (*make)()) {
  std::shared_ptr<void>& mine = simulation().own_of_process(variable);
  if (mine == nullptr) mine = make();
  return mine.get();
}

}  // namespace oriel::sync
