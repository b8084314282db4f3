// A job in which rank 1 stands still while a thread of rank 0 waits for it, and another thread
// works with rank 2: waiting_rank WAIT, where the thread waits for a flush of `operations` in
// packets, or of `lists`, for a `result`, for room in a `flood` of packets, or for a rank that is
// `near`, of the same host, whose memory is its own, with more than a mail has room for where they
// are `near_full`. `near_given_up`: one thread does both, and
// has given up the first.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

using counters = window<std::uint64_t>;
constexpr rank still{1}, lives{2};
constexpr disp first{0}, second{1};
constexpr std::uint64_t several = 3, flood = 4'000'000, steps = 200;

// How many go to each rank at once: more than a mail has room for, or one.
constexpr std::uint64_t at_once(std::string_view wait) {
  return wait == "near_full" ? 1000 : 1;
}

status add_by_list(counters& w, rank to) {
  return w.accumulate(atomic_op::sum, std::vector<rank>{to, to}, std::vector<disp>{first, second},
                      std::vector<std::uint64_t>{1, 1});
}

// Returns how many it has added to the element `first`.
std::uint64_t add_and_wait(counters& w, std::string_view wait) {
  std::uint64_t added = 0;
  if (wait == "lists") {
    add_by_list(w, still).or_throw();
    added = 1;
  } else if (wait == "result" || wait == "near_mail") {
    std::uint64_t got = 0;
    w.fetch_op(atomic_op::sum, still, first, 1, got).or_throw();
    added = 1;
  } else if (wait == "near_notified") {
    // The kernel copies most, and the owner is asked for some.
    for (int i = 0; i < 20000; ++i) w.put_notify(still, second, 1, 0).or_throw();
  } else {
    const std::uint64_t n = wait == "flood" ? flood : several * at_once(wait);
    for (std::uint64_t i = 0; i < n; ++i, added += i) w.add(still, first, i + 1).or_throw();
  }
  w.flush(still).or_throw();
  return added;
}

void add_beside(counters& w, std::string_view wait) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    for (std::uint64_t n = at_once(wait); n != 0; --n)
      (wait == "lists" ? add_by_list(w, lives) : w.add(lives, first, 1)).or_throw();
    w.flush(lives).or_throw();
  }
}

void say_what_there_is(counters& w, std::string_view wait, std::uint64_t added) {
  say(0,
      w.fetch_add(still, first, 0) == added && w.fetch_add(lives, first, 0) == steps * at_once(wait)
          ? "conserved"
          : "not conserved");
}

void give_up_and_work(counters& w, std::string_view wait, pid_t stopped) {
  kill(stopped, SIGSTOP);
  pause(0.1);
  std::uint64_t got = 0;
  const status asked = w.fetch_op(atomic_op::sum, still, first, 1, got);
  w.clear_failure();
  add_beside(w, wait);
  kill(stopped, SIGCONT);
  say(0, asked == errc::timed_out ? "worked beside it" : "did not give up");
  say_what_there_is(w, wait, 0);
}

void work(counters& w, std::string_view wait, pid_t stopped) {
  std::uint64_t added = 1;
  w.add(still, first, 1).or_throw();  // alone, where what follows goes in packets
  kill(stopped, SIGSTOP);
  pause(0.1);
  std::thread waiting([&] { added += add_and_wait(w, wait); });
  std::atomic<bool> is_over{false}, waited{false};
  std::thread waking([&] {
    for (int i = 0; i < 500 && !is_over; ++i) pause(0.01);
    waited = !is_over;
    kill(stopped, SIGCONT);
  });
  pause(0.3);
  add_beside(w, wait);
  is_over = true;
  waking.join();
  waiting.join();
  say(0, waited ? "waited too" : "worked beside it");
  say_what_there_is(w, wait, added);
}

int run(std::string_view wait) {
  const bool gives_up = wait == "near_given_up";
  if (gives_up && std::string_view(getenv("ORIEL_RANK")) == "0") setenv("ORIEL_TIMEOUT", "1", 1);
  session s;
  const team world = s.world();
  const int me = world.me().value;
  window_options options;
  options.aggregate = wait != "lists" && wait != "near_mail" && !gives_up;
  std::vector<std::uint64_t> own(4);
  const assertion_set promised =
      assertion::shared_lock | assertion::local_load_store | assertion::notify;
  auto w = wait.starts_with("near") ? counters::create(world, own, promised, options)
                                    : counters::allocate(world, own.size(), promised, options);
  auto all = w.lock_all();
  const std::vector<pid_t> pids = world.allgather(getpid());
  if (me == 0) {
    w.flush_all().or_throw();
    const pid_t stopped = pids[static_cast<std::size_t>(still.value)];
    gives_up ? give_up_and_work(w, wait, stopped) : work(w, wait, stopped);
  }
  world.barrier().or_throw();
  all.end().or_throw();
  w.free().or_throw();
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([=] { return oriel::testing::run(argv[1]); });
}
