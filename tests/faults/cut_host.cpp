// A rank of a job on two hosts, one of which is cut off while it works: cut_host WORK [apart].
// `apart`: each host is to go on by itself.
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run(const std::string& work, partition p) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  const int near = s.node().size();
  const std::size_t used = s.state()->memory().used();
  const rank far{(me + near) % world.size()};
  {
    auto w = window<int>::allocate(world, 100'000, everything);
    const std::vector<int> row(100'000, 1);
    say(me, "ready");
    const auto once = [&]() -> status {
      if (work == "barrier") return world.barrier();
      if (work == "fence") return static_cast<void>(w.put(far, disp{0}, std::span(row))), w.fence();
      auto epoch = w.lock_exclusive(far);
      if (work == "lock") return epoch.opened();
      static_cast<void>(w.put(far, disp{0}, std::span(row)));
      return w.flush(far);
    };
    // Waiting for ranks that are too far away to come, when the cut happens.
    const bool sleeps = work == "waiting" && me >= world.size() - near;
    outcome o;
    if (sleeps) pause(6);
    if (work == "waiting") o = timed([&] { return world.barrier(); });
    for (const auto until = steady::now() + std::chrono::seconds(30);
         work != "waiting" && o.code == errc::success && steady::now() < until; pause(0.001))
      o = timed(once);
    o.text = w.failure();
    say(me, "met " + described(o));
    static_cast<void>(w.free());
    const outcome left =
        timed([&]() -> status { return goes_on(world, near, p) ? errc::success : errc::system; });
    say(me, left.code == errc::success ? "went on" : "did not go on: " + described(left));
  }
  say(me, memory_returns_to(s, used) ? "left nothing" : "left node memory behind");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  using oriel::partition;
  alarm(55);
  try {
    return oriel::testing::run(argv[1], argc > 2 ? partition::every_part : partition::larger_part);
  } catch (const std::exception& e) {
    std::printf("stopped by %s\n", e.what());
    return 3;
  }
}
