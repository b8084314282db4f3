// A job whose last rank sleeps while the others wait for it, or stands still while they give it
// more than the way there has room for: slow_rank fence|lock|puts|accumulates|gathers|room SECONDS.
#include <array>
#include <cstdlib>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

// All threads of this process.
void stand_still(double seconds) {
  const pid_t parent = getpid();
  if (fork() == 0) {
    pause(seconds);
    kill(parent, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
}

// Until one fails, and else for a little longer than `seconds`.
template <class Operation>
status give(double seconds, Operation one) {
  const auto start = steady::now();
  status e;
  while (e.ok() && steady::now() - start < std::chrono::duration<double>(seconds + 1)) e = one();
  return e;
}

// What the slow rank leaves no room for reaches others.
status go_round(window<int>& w, rank slow, rank other, double seconds) {
  const status full = give(seconds, [&] { return w.put(slow, disp{0}, 1); });
  if (full.code() != errc::timed_out) return full;
  w.clear_failure();
  const status e = w.put(other, disp{0}, 1);
  return e.ok() ? w.flush(other) : e;
}

int run(const std::string& what, double seconds) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  const rank slow{world.size() - 1};
  const bool waits = what == "fence" || what == "lock";
  window_options options;
  options.aggregate = what == "gathers";
  auto w = window<int>::allocate(world, 16384, everything, options);
  auto held = me == slow.value && what == "lock" ? w.lock_exclusive(slow) : epoch{};
  auto all = waits ? epoch{} : w.lock_all();
  world.barrier().or_throw();
  if (me == slow.value) waits ? pause(seconds) : stand_still(seconds);
  static_cast<void>(held.end());
  outcome o = timed([&]() -> status {
    if (what == "fence") return w.fence();
    if (what == "lock") return w.lock_shared(slow).opened();
    static const std::array<int, 16384> many{};
    if (me == slow.value) return {};
    if (what == "room") {
      if (me == 0) return go_round(w, slow, rank{1}, seconds);
      pause(seconds);
      return {};
    }
    const status e = what == "puts"
                         ? give(seconds, [&] { return w.put(slow, disp{0}, std::span(many)); })
                         : give(seconds, [&] { return w.add(slow, disp{0}, 1); });
    return e.ok() ? w.flush(slow) : e;
  });
  o.text = w.failure();
  say(me, "met " + described(o));
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(argv[1], std::atof(argv[2])); });
}
