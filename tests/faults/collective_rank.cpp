// A job in which the last rank dies after a collective, and the others call more of them,
// until they leave, each at another one, to free their window, as programs do that get the
// error elsewhere: collective_rank SEED.
#include <array>
#include <cstdlib>
#include <vector>

#include "tests/faults/random/dice.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr int at_most = 20;  // collectives of one rank

const char* name_of(std::uint64_t kind) {
  static constexpr std::array names{"barrier", "allgather", "broadcast", "split"};
  return names[kind];
}

int run(std::uint64_t seed) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, 10, everything);
  // The last rank dies as soon as it is out of here: others may hear of its death before they are.
  const status met = world.barrier();
  if (met != errc::peer_failed) met.or_throw();
  if (me == world.size() - 1) die();
  dice common{seed}, own{seed, static_cast<std::uint64_t>(me) + 1};
  const int leaves_at = own.pick(at_most);
  bool right = true;
  for (int i = 0; i < leaves_at; ++i) {
    const auto kind = common.below(4);
    const int root = common.pick(world.size() - 1);
    if (own.one_in(3)) pause(0.001 * static_cast<double>(own.below(20)));
    const outcome o = timed([&]() -> status {
      // Where data are taken for an outcome, it shows.
      constexpr std::uint64_t bytes_alike = 0x0101010101010101u;
      std::array<std::uint64_t, 8> data;
      data.fill(bytes_alike * static_cast<unsigned>(me + 1));
      std::array<std::uint64_t, 64> all{};
      switch (kind) {
        case 0:
          return world.barrier();
        case 1:
          return world.allgather_bytes(data.data(), sizeof data, all.data());
        case 2: {
          // It needs the root alone, so it may succeed.
          const status e = world.broadcast_bytes(data.data(), sizeof data, rank{root});
          const auto sent = bytes_alike * static_cast<unsigned>(root + 1);
          return e.ok() && data[0] == sent && data[7] == sent ? errc::peer_failed : e;
        }
        default:
          return static_cast<void>(world.split(me % 2)), status{};
      }
    });
    if (o.code == errc::peer_failed) continue;
    say(me, std::string(name_of(kind)) + ", collective " + std::to_string(i) + ", came to " +
                described(o));
    right = false;
  }
  const status freed = w.free();
  right = right && (freed.ok() || freed == errc::peer_failed);
  say(me, right ? "was told each time" : "was told something else");
  say(me, goes_on(world, world.size() - 1) ? "went on" : "did not go on");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::strtoull(argv[1], nullptr, 10)); });
}
