// Runs threads of pretended processes one at a time, in an order, and in a time, that a seed
// decides: the same seed repeats a run exactly. What they share is plain memory of this process,
// and each access of it is a step (instrumented.cpp), before which another thread may go on, a
// process may be killed or be stopped, and stores of before may be seen by others or not yet.
//
// Threads here are fibers: each has a stack, and the one that runs has this process's only thread.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/shared_regions.hpp"
#include "tests/sim/store_buffer.hpp"

namespace oriel::sim {

class thread_locals;

using std::chrono::nanoseconds;

// How long others may not see a store: not at all; until a fence, in order, as on x86; or in any
// order that the stores' memory orders allow. Loads are never early.
enum class visibility : std::uint8_t { at_once, in_order, weak };

struct schedule {
  std::uint64_t seed = 1;
  visibility stores = visibility::in_order;
  // Whether a sleep on a word ends by itself after its time; else a wake is all that ends it, so
  // that one which is lost shows.
  bool sleeps_end = true;
  // Once in so many steps nothing happens for a while, up to 200 ms; 0: never.
  std::uint64_t steps_between_stalls = 0;
  // How long it takes that another thread has its turn.
  nanoseconds turn{500};
  // What is longer, besides these, does not end.
  nanoseconds longest = std::chrono::seconds(60);
  std::uint64_t most_steps = 2'000'000;
};

enum class ending : std::uint8_t { ended, deadlock, endless, failed };

struct verdict {
  ending how = ending::ended;
  std::string why;          // what failed, or who waits for what; and the last steps
  std::uint64_t trace = 0;  // of all steps: alike for runs that are alike
  std::uint64_t steps = 0;
  nanoseconds took{};
};

class scheduler {
 public:
  explicit scheduler(const schedule& how);
  virtual ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  // --- Before `run`
  // Each access of it is a step.
  void share(const void* first, std::size_t bytes, std::string name);
  // Returns the thread's number. `process` counts from 0.
  int start(int process, std::string name, std::function<void()> run);
  // The same of a thread that may wait for work when all others have ended, and ends with them.
  int start_server(int process, std::string name, std::function<void()> run);
  // Before the process's `step`-th step: it makes no more, and nothing of it is undone. So it is
  // with `others`, whatever they are at: those of its node, say.
  void kill_at(int process, std::uint64_t step, std::vector<int> others = {});
  // Likewise: they make none for `time`.
  void stop_at(int process, std::uint64_t step, nanoseconds time, std::vector<int> others = {});

  // Returns when all threads have ended, but for those of killed processes, or cannot.
  verdict run();

  // --- By threads of the run
  // The scheduler whose thread calls; null outside of runs.
  static scheduler* active() noexcept { return active_; }
  // Whether any access is a step: not so where no run so far has had memory to watch.
  static bool watches() noexcept { return watches_; }
  [[nodiscard]] bool is_shared(const void* at) const noexcept { return regions_.at(at) != nullptr; }
  // Another thread may go on before the caller does. `what`: for the trace, a word that stays.
  virtual void step(const char* what, const void* at = nullptr);
  // The same, and others that can go on do.
  virtual void give_way(const char* what);
  // Blocks until `wake(at)`; or for `at_most`. Returns whether it was woken.
  virtual bool sleep(const char* what, const void* at, std::optional<nanoseconds> at_most);
  // On a futex: `expected` is compared as it falls asleep.
  virtual void sleep_on_word(const void* at, std::uint32_t expected, nanoseconds at_most);
  virtual void wake(const void* place);
  // Blocks until that thread has ended.
  void join(int thread);
  // The process, or the caller's, is killed before its `steps`-th step from now, and others with
  // it.
  void kill_within(int process, std::uint64_t steps, std::vector<int> others = {});
  void kill_within(std::uint64_t steps) { kill_within(process(), steps); }
  // Likewise: it is stopped.
  void stop_within(int process, std::uint64_t steps, nanoseconds time,
                   std::vector<int> others = {});
  // From now on each access of [first, first + bytes) is a step. It is memory that others may have
  // elsewhere: `stands_for` is what its first byte is called by, alike in all of these places, and
  // need not be an address of anything.
  virtual void map(const void* first, std::size_t bytes, const void* stands_for, std::string name);
  // No more, of what begins there.
  virtual void unmap(const void* first);
  // Nobody may access the shared memory that begins there any more.
  void release(const void* first) noexcept { regions_.release(first); }
  // Notes what the step has read or written.
  virtual void note(std::uint64_t value) noexcept;
  // Copies shared memory for the test, as one that is no step of any thread.
  static void copy_quietly(void* to, const void* from, std::size_t bytes) noexcept;
  // Ends the run.
  [[noreturn]] void fail(const std::string& why);

  [[nodiscard]] nanoseconds now() const noexcept { return now_; }
  [[nodiscard]] bool alive(int process) const noexcept;
  // One that is stopped goes on then.
  void go_on_at(int process, nanoseconds when) { process_of(process).goes_on_at = when; }
  // Whether it is stopped.
  [[nodiscard]] bool stands_still(int process) const noexcept;
  // The processes that are dead, in the order of their deaths.
  [[nodiscard]] const std::vector<int>& dead() const noexcept { return dead_; }
  [[nodiscard]] int number() const noexcept;
  [[nodiscard]] int process() const noexcept;
  [[nodiscard]] const schedule& how() const noexcept { return how_; }
  [[nodiscard]] store_buffer& stores() noexcept;
  [[nodiscard]] thread_locals& own_of_thread() noexcept;
  // Of the caller's process: empty at first (sync/process_own.hpp).
  [[nodiscard]] std::shared_ptr<void>& own_of_process(const void* variable);
  // What the caller has stored becomes visible, others' steps in between.
  void drain();
  // What every thread has stored is seen by all; or every thread of a process.
  void drain_all() noexcept;
  void drain_process(int process) noexcept;
  // One in `n`.
  bool chance(std::uint64_t n) noexcept { return draw(n) == 0; }
  std::uint64_t draw(std::uint64_t below) noexcept { return below < 2 ? 0 : random_() % below; }

 protected:  // for tests/sim/scale, whose order and time are others
  struct fiber;
  struct pretended_process {
    std::uint64_t steps = 0;
    struct fault {
      std::uint64_t before = 0;
      std::optional<nanoseconds> time;  // of a stop; else it is a death
      std::vector<int> others;
      bool suffered = false;
    };
    std::vector<fault> faults;
    bool dead = false;
    nanoseconds goes_on_at{};
    std::map<const void*, std::shared_ptr<void>> own;
  };
  struct event {
    int thread;
    const char* what;
    const void* at;
    std::uint64_t value;
    nanoseconds when;
  };

  static void enter(unsigned high, unsigned low);
  [[nodiscard]] pretended_process& process_of(int number);
  // It makes no more steps.
  void die(int process);
  [[nodiscard]] bool can_run(const fiber& f) const noexcept;
  [[nodiscard]] bool suffer_faults();
  // What the byte is called by, wherever a process has it.
  [[nodiscard]] const void* name_everywhere(const void* at) const noexcept;
  void pass_time(nanoseconds time) noexcept;
  void end_sleeps() noexcept;
  // A thread has been made.
  virtual void may_begin(fiber&) {}
  // The thread that goes on; null where none can, now or later.
  virtual fiber* choose() noexcept;
  fiber* among_runnable() noexcept;
  bool leap() noexcept;
  void reschedule();
  [[noreturn]] void stop_running(ending how, std::string why);
  void switch_to(fiber* next) noexcept;
  void record(const char* what, const void* at, std::uint64_t value) noexcept;
  [[nodiscard]] std::string name_of(const void* at) const;
  [[nodiscard]] std::string waits() const;
  [[nodiscard]] std::string deaths() const;
  [[nodiscard]] std::string last_steps() const;
  // What those that have begun and not ended are amid; each goes on for so long.
  [[nodiscard]] std::string calls();
  [[noreturn]] void tell_calls();

  static scheduler* active_;
  static bool watches_;
  schedule how_;
  std::mt19937_64 random_;
  shared_regions regions_;
  std::vector<pretended_process> processes_;
  std::vector<int> dead_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  fiber* running_ = nullptr;
  ucontext_t outside_{};
  nanoseconds now_ = std::chrono::seconds(1);
  nanoseconds stalled_{0};                       // of these, nothing has happened
  nanoseconds next_alarm_ = nanoseconds::max();  // before this no sleep ends by its time
  std::uint64_t steps_ = 0;
  std::uint64_t trace_ = 0xcbf29ce484222325;
  std::deque<event> last_;
  verdict verdict_;
  bool asks_for_calls_ = false;  // of who goes on, which then does no more than to tell them
  jmp_buf asker_{};
  std::string told_calls_;
  // How threads are chosen: at random, once in so many steps; or, where that is 0, by priorities
  // which change at few steps, so that threads go far without another.
  std::uint64_t steps_a_turn_ = 0;
  // Once in how many steps some thread's store becomes visible; how late sleeps may end, so that
  // several end at once.
  std::uint64_t steps_a_store_ = 4;
  nanoseconds slack_{};
  std::vector<std::uint64_t> changes_;
  std::int64_t lowest_ = 0;
};

}  // namespace oriel::sim
