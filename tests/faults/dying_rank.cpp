// A job in which one rank dies at a chosen moment: dying_rank MOMENT VICTIM. Every survivor prints
// what its own call came to, frees the window, and goes on with those that are left.
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t elements = 4096;
constexpr double until_all_wait = 0.3;

// What a survivor sees at each moment. The window is theirs to free.
struct scene {
  session& s;
  team world;
  int victim;
  window<int> w{};
  [[nodiscard]] bool dies() const { return world.me().value == victim; }
  [[nodiscard]] std::vector<rank> others() const {
    std::vector<rank> all;
    for (int r = 0; r < world.size(); ++r)
      if (r != world.me().value) all.emplace_back(r);
    return all;
  }
  // Over device memory, where a kind of it is named by ORIEL_TEST_KIND.
  void make() {
    window_options options;
    if (const char* kind = std::getenv("ORIEL_TEST_KIND"))
      options.memory_kind = std::string(kind) + ":device";
    w = window<int>::allocate(world, elements, everything, options);
  }
  // The victim has done its part by now, and is about to die.
  void meet() {
    world.barrier().or_throw();
    if (!dies()) return;
    pause(until_all_wait);
    die();
  }
};

outcome before_construction(scene& a) {
  if (a.dies()) die();
  return timed([&]() -> status { return a.make(), status{}; });
}

// Wherever in a construction, or a free, the victim happens to be.
outcome during_construction(scene& a) {
  std::thread killer;
  if (a.dies()) killer = std::thread([] { pause(until_all_wait), die(); });
  return timed([&]() -> status {
    for (;;) {
      a.make();
      if (const status e = a.w.free(); !e.ok()) return e;
    }
  });
}

// Every rank has made and announced its memory, and the others are about to open it.
outcome while_opening(scene& a) {
  const auto processes = a.world.allgather(getpid());
  const std::string victim = std::to_string(processes[static_cast<std::size_t>(a.victim)]);
  if (!a.dies()) setenv("ORIEL_TEST_ORPHAN", victim.c_str(), 1);
  return timed([&]() -> status { return a.make(), status{}; });
}

outcome in_barrier(scene& a) {
  a.meet();
  return timed([&] { return a.world.barrier(); });
}

outcome in_fence(scene& a) {
  a.make();
  a.meet();
  outcome o = timed([&] { return a.w.fence(); });
  o.text = a.w.failure();
  return o;
}

outcome holding(scene& a, lock_kind kind) {
  a.make();
  const rank target{0};
  auto held = kind == lock_kind::shared ? a.w.lock_shared(target) : epoch{};
  if (a.dies() && kind == lock_kind::exclusive) held = a.w.lock_exclusive(target);
  if (!a.dies()) static_cast<void>(held.end());
  a.meet();
  outcome o = timed([&] { return a.w.lock_exclusive(target).opened(); });
  o.text = a.w.failure();
  return o;
}

outcome holding_all(scene& a) {
  a.make();
  auto held = a.dies() ? a.w.lock_all() : epoch{};
  a.meet();
  outcome o = timed([&] { return a.w.lock_exclusive(rank{a.world.size() - 1}).opened(); });
  o.text = a.w.failure();
  return o;
}

// `operation` again and again until it, or the flush behind it, fails. Ranks of the victim's node
// reach its memory even when it is dead: they fail when they next need it.
outcome streaming(scene& a, const std::function<void(rank, std::span<const int>)>& operation) {
  a.make();
  auto all = a.w.lock_all();
  std::thread killer;
  a.world.barrier().or_throw();
  if (a.dies()) killer = std::thread([] { pause(until_all_wait), die(); });
  const std::vector<int> row(elements, 1);
  const auto until = steady::now() + std::chrono::seconds(2);
  const bool near = a.world.on_node(rank{a.victim});
  outcome o = timed([&] {
    status e;
    while (e.ok() && (!near || steady::now() < until)) {
      const rank target = a.dies() ? a.world.next() : rank{a.victim};
      for (int i = 0; i < 200; ++i) operation(target, row);
      e = a.w.flush(target);
    }
    static_cast<void>(all.end());
    return near ? a.w.fence() : e;
  });
  o.text = a.w.failure();
  return o;
}

outcome putting(scene& a) {
  return streaming(
      a, [&a](rank r, std::span<const int> row) { static_cast<void>(a.w.put(r, disp{0}, row)); });
}
outcome accumulating(scene& a) {
  return streaming(a, [&a](rank r, std::span<const int> row) {
    static_cast<void>(a.w.accumulate(atomic_op::sum, r, disp{0}, row));
  });
}

// The victim has started its access, and never completes it.
outcome before_complete(scene& a, const std::function<status(scene&)>& end) {
  a.make();
  const rank origin{a.victim};
  if (!a.dies()) a.w.post(std::span(&origin, 1)).or_throw();
  if (a.dies()) {
    const auto access = a.w.start(a.others());
    access.opened().or_throw();
    a.meet();
  }
  a.meet();
  outcome o = timed([&] { return end(a); });
  o.text = a.w.failure();
  return o;
}
status wait_in(scene& a) {
  return a.w.wait();
}
// A test fails as a wait does: it does not return "not yet" for ever.
status test_in(scene& a) {
  while (!a.w.test()) pause(0.001);
  return a.w.wait();
}

// Requests to a rank of another node that answers nothing, and dies then: it is stopped first, so
// that they are under way for certain.
outcome testing_requests(scene& a) {
  a.make();
  auto all = a.w.lock_all();
  a.world.barrier().or_throw();
  if (a.dies()) {
    const pid_t victim = getpid();
    if (fork() == 0) {
      pause(2 * until_all_wait);
      kill(victim, SIGKILL);
      _exit(0);
    }
    raise(SIGSTOP);
  }
  pause(until_all_wait);
  outcome o = timed([&] {
    const int one = 1;
    request r = a.w.raccumulate(atomic_op::sum, rank{a.victim}, disp{0}, std::span(&one, 1));
    while (!r.test()) pause(0.001);
    return r.wait();
  });
  o.text = "a request to rank " + std::to_string(a.victim);
  return o;
}

// The victim has posted and dies; it cannot be notified, or post again.
outcome after_post(scene& a) {
  a.make();
  const rank target{a.victim};
  if (a.dies()) {
    a.w.post(a.others()).or_throw();
    a.meet();
  }
  const auto start = [&] { return a.w.start(std::span(&target, 1)); };
  {
    auto access = start();
    access.opened().or_throw();
    a.meet();
    static_cast<void>(a.w.put(target, disp{0}, 1));
  }
  outcome o = timed([&] { return start().opened(); });
  o.text = a.w.failure();
  return o;
}

outcome in_free(scene& a) {
  a.make();
  static_cast<void>(a.w.fence());
  a.meet();
  return timed([&] { return a.w.free(); });
}

int run(const std::string& moment, int victim) {
  const std::map<std::string, std::function<outcome(scene&)>> moments{
      {"before_construction", before_construction},
      {"during_construction", during_construction},
      {"while_opening", while_opening},
      {"barrier", in_barrier},
      {"fence", in_fence},
      {"exclusive_lock", [](scene& a) { return holding(a, lock_kind::exclusive); }},
      {"shared_lock", [](scene& a) { return holding(a, lock_kind::shared); }},
      {"lock_all", holding_all},
      {"puts", putting},
      {"accumulates", accumulating},
      {"before_complete", [](scene& a) { return before_complete(a, wait_in); }},
      {"before_complete_tested", [](scene& a) { return before_complete(a, test_in); }},
      {"requests_tested", testing_requests},
      {"after_post", after_post},
      {"free", in_free}};
  session s;
  const int me = s.world().me().value;
  const std::size_t used = s.state()->memory().used();
  {
    scene a{s, s.world(), victim};
    const outcome o = moments.at(moment)(a);
    say(me, "met " + described(o));
    static_cast<void>(a.w.free());
    say(me, goes_on(a.world, a.world.size() - 1) ? "went on" : "did not go on");
  }
  say(me, memory_returns_to(s, used) ? "left nothing" : "left node memory behind");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(argv[1], std::atoi(argv[2])); });
}
