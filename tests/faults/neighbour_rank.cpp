// A rank of a job on one host whose last rank dies: the others go on with each other, on memory
// that only its owner's agent reaches for atomics. neighbour_rank.
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run() {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  const rank dead{world.size() - 1};
  std::vector<std::uint64_t> own(8);
  auto w = window<std::uint64_t>::create(world, std::span(own), everything);
  world.barrier().or_throw();
  if (me == dead.value) die();
  // Nobody knows it yet.
  while (s.state()->job().runs(dead.value)) pause(0.001);
  {
    const auto all = w.lock_all(nocheck);
    const rank other{1 - me};
    std::uint64_t before = 0;
    const auto expect = [&](const char* what, errc wanted, status got) {
      if (got.code() != wanted)
        say(me, std::string("met ") + std::string(name(got.code())) + " from " + what + ": " +
                    w.failure());
      w.clear_failure();
    };
    // The first request that is lost with its owner must not stand in the way of the others.
    expect("add to the dead", errc::peer_failed, w.add(dead, disp{0}, 1));
    if (!s.state()->job().deaths().has(dead.value)) say(me, "met no memory of the death");
    expect("add", errc::success, w.add(other, disp{0}, 1));
    expect("fetch_add", errc::success, w.fetch_op<atomic_op::sum>(other, disp{0}, 1, before));
    expect("compare_swap", errc::success, w.compare_swap(other, disp{1}, 0, 7, before));
  }
  say(me, "did its part");
  while (own[0] != 2 || own[1] != 7) pause(0.001);
  say(me, "was served");
  static_cast<void>(w.free());
  say(me, goes_on(world, 2) ? "went on" : "did not go on");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main() {
  return oriel::testing::play(oriel::testing::run);
}
