// A rank of a job whose last one calls shrink long after the others, whose calls time out
// meanwhile and are repeated: late_rank SECONDS.
#include <cstdlib>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run(double seconds) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  if (me == world.size() - 1) pause(seconds);
  team left;
  outcome o;
  int time_outs = 0;
  do {
    o = timed([&]() -> status { return left = world.shrink(), status{}; });
    if (o.code == errc::timed_out) ++time_outs;
  } while (o.code == errc::timed_out && time_outs < 10);
  say(me, "timed out " + std::to_string(time_outs) + " times");
  if (o.code != errc::success) {
    say(me, "met " + described(o));
    return 1;
  }
  const int sum = left.allreduce(1 << me, atomic_op::sum);
  say(me, "is in a team of " + std::to_string(left.size()) + ", " + std::to_string(sum));
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(std::atof(argv[1])); });
}
