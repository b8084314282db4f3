// A rank of a job on several hosts, one of which is cut off for a while: mended_link SECONDS. The
// ranks put, accumulate and fence for that long, in rounds whose sums are known. A rank that
// gets the error that others have gone tries, once all links are up again, to go on with those that
// are left.
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t length = 1000;

// One round: every rank writes to the next, and adds to all.
status once(window<int>& w, const team& world, int round, int& wrong) {
  const int me = world.me().value;
  const std::vector<int> row(length, round * world.size() + me);
  static_cast<void>(w.put(world.next(), disp{0}, std::span(row)));
  for (int r = 0; r < world.size(); ++r) w.fetch_add(rank{r}, disp{length}, me + 1);
  if (const status e = w.fence(); !e.ok()) return e;
  const int n = world.size();
  const auto here = w.local();
  for (const std::size_t i : {std::size_t{0}, length - 1})
    wrong += here[i] == round * n + world.previous().value ? 0 : 1;
  wrong += here[length] == (round + 1) * n * (n + 1) / 2 ? 0 : 1;
  return w.fence();
}

int run(double from, double until) {
  const auto start = steady::now();
  const auto end = start + std::chrono::duration<double>(until);
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, length + 1, everything | assertion::local_load_store);
  w.fence().or_throw();
  std::this_thread::sleep_until(start + std::chrono::duration<double>(from));
  int rounds = 0, wrong = 0;
  double longest = 0;
  outcome o;
  // Rank 0's clock is everybody's.
  for (int more = 1; more != 0 && o.code == errc::success; ++rounds) {
    o = timed([&]() -> status {
      if (const status e = once(w, world, rounds, wrong); !e.ok()) return e;
      more = steady::now() < end ? 1 : 0;
      return world.broadcast(more, rank{0});
    });
    longest = std::max(longest, o.seconds);
    pause(0.001);
  }
  o.text = w.failure();
  say(me, "met " + described(o));
  say(me, std::to_string(rounds) + " rounds, " + std::to_string(wrong) + " wrong, the longest " +
              std::to_string(longest) + " s");
  if (o.code == errc::success) return wrong == 0 ? 0 : 1;
  while (steady::now() < end) pause(0.1);
  const outcome after = timed([&]() -> status {
    const team left = world.shrink();
    say(me, "is left with " + std::to_string(left.size()));
    return left.barrier();
  });
  say(me, "came to " + described(after));
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::atof(argv[1]), std::atof(argv[2])); });
}
