// Owners of memory that others ask for something, in simulated shared memory: each has a bell, and
// an agent that sleeps on it; its program's threads serve too as they wait, in some programs.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sync/owner_watch.hpp"
#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {

class owners : public scene {
 protected:
  class process;
  struct habits {
    bool serve_as_they_wait = false;
    std::size_t threads = 1;  // of each program
    std::chrono::milliseconds time_out{400};
  };

  owners(scheduler& run, const program& p, habits h)
      : program_(p), habits_(h), bells_(run, "bells") {
    for (int r = 0; r < p.ranks; ++r) processes_.push_back(std::make_unique<process>(*this, r));
  }
  // Once all that they use is there.
  void start(scheduler& run) {
    for (const auto& each : processes_) {
      process& p = *each;
      for (std::size_t thread = 0; thread < habits_.threads; ++thread)
        run.start(p.me, "rank " + std::to_string(p.me), [this, &p, thread] {
          ask_all(p, thread);
          ++p.finished;
          for (int r = 0; r < program_.ranks; ++r)
            if (sync::request_bell& bell = bell_of(r); bell.ring()) bell.wake_agent();
        });
      run.start(p.me, "agent " + std::to_string(p.me), [this, &p] { serve_all(p); });
    }
  }

  // What a thread of the program's does.
  virtual void ask_all(process&, std::size_t thread) = 0;
  // Returns whether there was anything.
  virtual bool serve_round(process&) = 0;

  static constexpr std::size_t index(int r) noexcept { return static_cast<std::size_t>(r); }
  [[nodiscard]] sync::mailbox_peers peers_of(int r) {
    process& p = *processes_[index(r)];
    return {.waits = &p.watch,
            .alive =
                [&p](int other) {
                  scheduler::active()->step("looks who is alive");
                  if (scheduler::active()->alive(other)) return true;
                  p.deaths.note(other);
                  return false;
                },
            .bell = [this](int other) -> sync::request_bell& { return bell_of(other); },
            .expected = &p.expected,
            .deaths = &p.deaths,
            .number = [](int other) { return other; }};
  }

 private:
  struct bells {
    std::array<sync::request_bell, 8> of;
  };
  // Of a program's thread: it serves as it waits, as the watch of a job does, where that is so.
  class program_watch final : public simulated_watch {
   public:
    program_watch(owners& all, int me) noexcept
        : simulated_watch(me, all.program_.ranks), all_(all) {}
    [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
      return all_.habits_.time_out;
    }
    [[nodiscard]] bool serves() const noexcept override { return all_.habits_.serve_as_they_wait; }
    void progress() const noexcept override { all_.serve_rung(*all_.processes_[index(me_)]); }

   private:
    owners& all_;
  };
  // Of an agent, which gives up when no rank asks any more.
  class agent_watch final : public simulated_watch {
   public:
    explicit agent_watch(const owners& all) noexcept
        : simulated_watch(0, all.program_.ranks), all_(all) {}
    [[nodiscard]] bool any_failed() const noexcept override { return all_.all_are_done(); }

   private:
    const owners& all_;
  };

 protected:
  class process {
   public:
    process(owners& all, int number) : me(number), deaths(all.program_.ranks), watch(all, number) {}
    const int me;

   private:
    friend class owners;
    sync::expected_request expected;
    sync::known_deaths deaths;
    program_watch watch;
    sync::mutex serving;
    std::uint32_t served_at = 0;  // what the bell showed when this process served last
    std::size_t finished = 0;     // threads
  };
  program program_;

 private:
  [[nodiscard]] bool all_are_done() const noexcept {
    for (const auto& p : processes_)
      if (p->finished != habits_.threads && scheduler::active()->alive(p->me)) return false;
    return true;
  }
  [[nodiscard]] sync::request_bell& bell_of(int r) const { return bells_->of[index(r)]; }
  // As transport/agent.cpp does.
  void serve_all(process& mine) {
    const agent_watch watch(*this);
    while (!all_are_done()) {
      bool worked = false;
      dawdle();
      {
        const std::lock_guard hold(mine.serving);
        worked = serve_now(mine);
      }
      if (worked) bell_of(mine.me).be_attended(false);
      static_cast<void>(sync::wait_for(
          bell_of(mine.me).rung, watch,
          [this, &mine](std::uint32_t rung) { return rung != mine.served_at || all_are_done(); }));
    }
  }
  void serve_rung(process& mine) {
    if (!mine.expected.is_here() &&
        bell_of(mine.me).rung.value.load(std::memory_order_relaxed) == mine.served_at)
      return;
    const std::unique_lock hold(mine.serving, std::try_to_lock);
    if (hold && serve_now(mine)) bell_of(mine.me).be_attended(true);
  }
  bool serve_now(process& mine) {
    mine.served_at = bell_of(mine.me).rung.value.load(std::memory_order_acquire);
    return serve_round(mine);
  }

  habits habits_;
  shared_object<bells> bells_;
  std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace oriel::sim
