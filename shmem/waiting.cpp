#include "shmem/waiting.hpp"

#include <algorithm>

#include "session/team/team_state.hpp"

namespace oriel::shmem {
namespace {

using namespace sync::wait_ladder;

// Some 50 us of the kernel's come on top of the shorter ones.
constexpr std::chrono::microseconds shortest_pause{20};
constexpr std::chrono::microseconds longest_pause{200};

[[noreturn]] void give_up(process& p, const char* call, errc why) noexcept {
  fail(std::string(call) + ": " +
       (why == errc::timed_out ? "no PE wrote what this one waits for within ORIEL_TIMEOUT"
                               : p.world.state()->reason(why)));
}

}  // namespace

patient_waiter::patient_waiter(process& p, const char* call, int awaited) noexcept
    : process_(p),
      watch_(p.world.state()->watch()),
      call_(call),
      clock_(watch_),
      shown_(*p.world.state(), call, awaited) {}

void patient_waiter::pause() noexcept {
  const int looks = watch_.looks();
  const int round = ++round_;
  if (round == sync::noticed_wait::unnoticed_looks) waited_.begin();
  if (round == looks + 1) process_.quiet_alone();
  if (round <= looks) {
    sync::cpu_relax();
    if (round % spins_between_progress == 0 && watch_.serves()) watch_.progress();
  } else if (round <= looks + watch_.yields()) {
    yield();
    if (watch_.serves()) watch_.progress();
  } else {
    sleep();
  }
}

void patient_waiter::sleep() noexcept {
  const int times = round_ - watch_.looks() - watch_.yields();
  waited_.begin();
  waited_.asleep();
  sync::sleep_for(std::min(longest_pause, shortest_pause * times));
  if (watch_.serves_nodes()) watch_.progress_asleep();
  if (!clock_.due()) return;
  if (const errc e = clock_.look(); e != errc::success) give_up(process_, call_, e);
}

void after_vain_test(process& p, const char* call) noexcept {
  constexpr unsigned tests_between_looks = 4096;
  static thread_local unsigned tests = 0;
  const sync::peer_watch& watch = p.world.state()->watch();
  p.quiet_alone();
  if (watch.serves()) watch.progress();
  if (watch.oversubscribed()) yield();
  if (++tests % tests_between_looks == 0 && watch.any_failed()) give_up(p, call, errc::peer_failed);
}

}  // namespace oriel::shmem
