// A rank of a job that hangs until it is ended: stuck_rank lock|fence|circle.
//   lock    rank 1 holds the lock of rank 0 for ever; the others wait for it
//   fence   rank 0 does not come to a fence
//   circle  ranks 0 and 1 hold their own locks and wait for each other's
#include <unistd.h>

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

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  const session job;
  const team world = job.world();
  const int me = world.me().value;
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
