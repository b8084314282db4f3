// A job of two ranks on each of two hosts, in which the first gathers operations for both ranks of
// the other host, and the one of these that performs them dies: gathering_rank FLUSH, where `one`
// flushes the rank that lives, and `all` every rank, until one has failed. With `late` it is one,
// each packet has an answer, and the death is known before a flush waits for that.
#include <csignal>
#include <string_view>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

using counters = window<std::uint64_t>;

struct tally {
  std::uint64_t begun = 0;
  std::uint64_t flushed = 0;  // of these, flushes have returned success
};

bool is_conserved(std::uint64_t there, const tally& t) {
  return t.flushed <= there && there <= t.begun;
}

// Adds a thousand ones to `to`, and flushes every hundred.
status add_some(counters& w, rank to, tally& t) {
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100; ++i) {
      if (const status e = w.add(to, disp{0}, 1); !e.ok()) return e;
      ++t.begun;
    }
    if (const status e = w.flush(to); !e.ok()) return e;
    t.flushed = t.begun;
  }
  return {};
}

// Adds ones to `to`, of which some are under way most of the time, until a flush fails.
void add_until_lost(counters& w, rank to, tally& t, bool flushes_all) {
  for (status e; e.ok(); e = flushes_all ? w.flush_all() : w.flush(to)) {
    t.flushed = t.begun;
    for (int i = 0; i < 10000; ++i, ++t.begun)
      if (!w.add(to, disp{1}, 1).ok()) return;
  }
}

int run(std::string_view flush) {
  const bool flushes_all = flush == "all";
  session s;
  const team world = s.world();
  const int me = world.me().value;
  window_options options;
  options.aggregate = true;
  assertion_set promised = assertion::shared_lock | assertion::local_load_store;
  const bool late = flush == "late";
  if (late) promised = promised | assertion::notify;
  auto w = counters::allocate(world, 4, promised, options);
  auto all = w.lock_all();
  const rank dies{2}, lives{3};
  tally of_living;
  if (me == 0) {
    tally of_dying;
    add_some(w, dies, of_dying).or_throw();
    add_some(w, lives, of_living).or_throw();
  }
  const std::vector<pid_t> pids = world.allgather(getpid());
  if (late && me == dies.value) raise(SIGSTOP);
  if (me == dies.value) {
    pause(0.05);
    die();
  }
  if (late && me == lives.value) {
    pause(1);
    kill(pids[static_cast<std::size_t>(dies.value)], SIGKILL);
  }
  tally of_lost;
  if (late && me == 0) {
    pause(0.3);  // until it has stopped
    for (; of_lost.begun < 10000; ++of_lost.begun) static_cast<void>(w.add(lives, disp{1}, 1));
    pause(3);  // until its death is known
  }
  if (me == 0) {
    add_until_lost(w, lives, of_lost, flushes_all);
    say(me, "lost: " + w.failure());
    w.clear_failure();
  }
  // For the first the dead performed, for the second the living.
  if (me < 2) {
    const outcome failed = timed([&] {
      tally of_dying;
      status e;
      while (e.ok()) e = add_some(w, dies, of_dying);
      return e;
    });
    say(me, "to the dead: " + described(failed));
  }
  // Whoever performs for it, a flush of all tells of it, and one of the living leaves that to
  // others.
  if (me < 2) {
    w.clear_failure();
    static_cast<void>(w.add(dies, disp{2}, 1));
    say(me, "flush of all: " + std::string(name(w.flush_all().code())));
    w.clear_failure();
    static_cast<void>(w.add(dies, disp{2}, 1));
    say(me, "flush of the living: " + std::string(name(w.flush(lives).code())));
    say(me, "flush of the dead: " + std::string(name(w.flush(dies).code())));
    w.clear_failure();
    std::uint64_t got = 0;
    say(me,
        "fetched: " + std::string(name(w.fetch_op(atomic_op::sum, dies, disp{2}, 1, got).code())));
    w.clear_failure();
    say(me, "nothing more: " + std::string(name(w.flush_all().code())));
  }
  if (me == 0) {
    w.clear_failure();
    // What was under way for the living by the dead may be lost; what follows is not.
    if (!add_some(w, lives, of_living).ok()) w.clear_failure();
    const outcome again = timed([&] { return add_some(w, lives, of_living); });
    say(me, "to the living: " + described(again));
    say(me, is_conserved(w.fetch_add(lives, disp{0}, 0), of_living) &&
                    is_conserved(w.fetch_add(lives, disp{1}, 0), of_lost)
                ? "conserved"
                : "not conserved");
  }
  if (me != 0) pause(late ? 7 : 3);  // the window stays open while the first needs it
  static_cast<void>(all.end());
  static_cast<void>(w.free());
  say(me, goes_on(world, 3) ? "went on" : "did not go on");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([=] { return oriel::testing::run(argv[1]); });
}
