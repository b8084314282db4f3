// A job in which the last rank dies between two collectives, and the others call many more of them,
// from different ones on, as programs do that learn of the death in different calls:
// collective_rank SEED.
#include <array>
#include <cstdlib>
#include <vector>

#include "tests/faults/random/dice.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr int collectives = 60;

const char* name_of(std::uint64_t kind) {
  static constexpr std::array names{"barrier", "allgather", "broadcast", "split", "free"};
  return names[kind];
}

int run(std::uint64_t seed) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, 10, everything);
  world.barrier().or_throw();
  if (me == world.size() - 1) die();
  dice common{seed}, own{seed, static_cast<std::uint64_t>(me) + 1};
  const int skipped = own.pick(5);
  bool right = true;
  for (int i = 0; i < collectives; ++i) {
    const auto kind = common.below(i == collectives / 2 ? 5 : 4);
    const int root = common.pick(world.size() - 1);
    if (i < skipped) continue;
    if (own.one_in(3)) pause(0.001 * static_cast<double>(own.below(20)));
    const outcome o = timed([&]() -> status {
      // Where data are taken for an outcome, or for another collective's, it shows.
      const auto pattern = [i](int r) {
        return 0x0101010101010101u * static_cast<unsigned>(r + 1) + static_cast<unsigned>(i);
      };
      std::array<std::uint64_t, 8> data;
      data.fill(pattern(me));
      std::array<std::uint64_t, 64> all{};
      switch (kind) {
        case 0:
          return world.barrier();
        case 1:
          return world.allgather_bytes(data.data(), sizeof data, all.data());
        case 2: {
          // It needs the root alone, so it may succeed.
          const status e = world.broadcast_bytes(data.data(), sizeof data, rank{root});
          return e.ok() && data[0] == pattern(root) && data[7] == pattern(root) ? errc::peer_failed
                                                                                : e;
        }
        case 3:
          return static_cast<void>(world.split(me % 2)), status{};
        default:
          return w.valid() ? w.free() : errc::peer_failed;
      }
    });
    if (o.code == errc::peer_failed) continue;
    say(me, std::string(name_of(kind)) + ", collective " + std::to_string(i) + ", came to " +
                described(o));
    right = false;
  }
  say(me, right ? "was told each time" : "was told something else");
  w.free();
  say(me, goes_on(world, world.size() - 1) ? "went on" : "did not go on");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::strtoull(argv[1], nullptr, 10)); });
}
