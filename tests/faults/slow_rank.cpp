// A job whose last rank sleeps while the others wait for it: slow_rank fence|lock SECONDS.
#include <cstdlib>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run(const std::string& wait, double seconds) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  const rank slow{world.size() - 1};
  auto w = window<int>::allocate(world, 10, everything);
  auto held = me == slow.value && wait == "lock" ? w.lock_exclusive(slow) : epoch{};
  world.barrier().or_throw();
  if (me == slow.value) pause(seconds);
  static_cast<void>(held.end());
  outcome o = timed([&] { return wait == "fence" ? w.fence() : w.lock_shared(slow).opened(); });
  o.text = w.failure();
  say(me, "met " + described(o));
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(argv[1], std::atof(argv[2])); });
}
