// A rank of a job that hangs until it is ended: stuck_rank lock|fence|circle|barrier|broadcast|…
//   lock    rank 1 holds the lock of rank 0 for ever; the others wait for it
//   fence   rank 0 does not come to a fence
//   circle  ranks 0 and 1 hold their own locks and wait for each other's
//   barrier, broadcast, allocate, shrink
//           the last rank does not come to this collective of the team
//   half    the upper half of the ranks does not come to a barrier
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>

#include "oriel/oriel.hpp"

namespace {

using namespace oriel;

[[noreturn]] void hang() {
  for (;;) pause();
}

// Holds `held`, and then waits for `wanted`.
void lock_both(window<int>& w, const team& world, std::optional<rank> held,
               std::optional<rank> wanted) {
  std::optional<epoch> first, second;
  if (held) first.emplace(w.lock_exclusive(*held));
  world.barrier().or_throw();
  std::printf("rank %d began\n", world.me().value);
  std::fflush(stdout);
  if (wanted) second.emplace(w.lock_exclusive(*wanted));
  hang();
}

// In a collective that ranks from `missing` on do not come to.
[[noreturn]] void meet_in_vain(const std::string& what, const team& world, int missing) {
  world.barrier().or_throw();
  std::printf("rank %d began\n", world.me().value);
  std::fflush(stdout);
  if (world.me().value >= missing) hang();
  std::array<int, 2> values{};
  if (what == "broadcast")
    world.broadcast(std::span<int>(values), rank{0}).or_throw();
  else if (what == "allocate")
    static_cast<void>(window<int>::allocate(world, 4, assertion::fence));
  else if (what == "shrink")
    static_cast<void>(world.shrink());
  else
    world.barrier().or_throw();
  hang();
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  const session job;
  const team world = job.world();
  const int me = world.me().value;
  if (what == "half") meet_in_vain(what, world, (world.size() + 1) / 2);
  if (what != "lock" && what != "circle" && what != "fence")
    meet_in_vain(what, world, world.size() - 1);
  window_options options;
  options.name = "hanging";
  auto w = window<int>::allocate(world, 4, assertion::fence | assertion::exclusive_lock, options);
  if (what == "lock") {
    if (me == 1) lock_both(w, world, rank{0}, {});
    lock_both(w, world, {}, rank{0});
  }
  if (what == "circle") {
    if (me < 2) lock_both(w, world, rank{me}, rank{1 - me});
    lock_both(w, world, {}, {});
  }
  world.barrier().or_throw();
  std::printf("rank %d began\n", me);
  std::fflush(stdout);
  if (me == 0) hang();
  w.fence().or_throw();
  return 0;
}
