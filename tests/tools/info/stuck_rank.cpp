// A rank of a job that hangs until it is ended: stuck_rank lock|fence|circle|barrier|broadcast|…
//   lock    rank 1 holds the lock of rank 0 for ever; the others wait for it
//   fence   rank 0 does not come to a fence
//   circle  ranks 0 and 1 hold their own locks and wait for each other's
//   barrier, broadcast, allocate, shrink, phase, rehash, make
//           the last rank does not come to this collective of the team, or of a hash map
//   half    the upper half of the ranks does not come to a barrier
//   puts    each rank has put 1000 elements, one by one, and hangs
//   held, shared, all
//           the last rank holds the lock of rank 0, alone but for `shared`; rank 1 wants it alone,
//           or for `all` on all ranks
//   start, wait
//           the last rank does not post to rank 0, or does not complete its exposure
//   request, complete
//           the last rank is stopped; rank 0 waits for a request to it, or ends its epoch
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oriel/hash_map.hpp"
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

// In a collective of a hash map that the last rank does not come to.
[[noreturn]] void share_a_map_in_vain(const std::string& what, const team& world) {
  hash_map_options options;
  options.name = "counts";
  hash_map<std::uint64_t, std::uint64_t> counts(world, 100, options);
  world.barrier().or_throw();
  std::printf("rank %d began\n", world.me().value);
  std::fflush(stdout);
  if (world.me().value == world.size() - 1) hang();
  options.name = "counts, which has a long name, of which the end is cut";
  if (what == "make") hash_map<std::uint64_t, std::uint64_t> more(world, 100, options);
  if (what == "rehash") counts.rehash(1000);
  static_cast<void>(counts.insert_only());
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

using any = window<int, assertion::fence | assertion::shared_lock | assertion::exclusive_lock |
                            assertion::pscw | assertion::multi_element>;

// A lock of rank 0.
void lock_in_vain(const std::string& what, any& w, const team& world) {
  const int me = world.me().value;
  std::optional<epoch> held;
  if (me == world.size() - 1)
    held.emplace(what == "shared" ? w.lock_shared(rank{0}) : w.lock_exclusive(rank{0}));
  world.barrier().or_throw();
  std::printf("rank %d began\n", me);
  std::fflush(stdout);
  if (me == 1) held.emplace(what == "all" ? w.lock_all() : w.lock_exclusive(rank{0}));
  hang();
}

// Rank 0, behind an epoch at rank 1.
void expose_in_vain(const std::string& what, any& w, const team& world) {
  const int me = world.me().value;
  const std::array first{rank{0}}, second{rank{1}}, last{rank{world.size() - 1}};
  if (me == 0) w.start(second).end().or_throw();
  if (me == 1) w.post(first).or_throw();
  if (me == 1) w.wait().or_throw();
  std::printf("rank %d began\n", me);
  std::fflush(stdout);
  if (me == 0 && what == "start") static_cast<void>(w.start(last));
  if (me == 0) w.post(last).or_throw();
  if (me == 0) w.wait().or_throw();
  hang();
}

// Its agent serves until then.
void await_stop_of(pid_t process) {
  std::string line;
  do {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::getline(stat, line);
  } while (line.find(") T ") == std::string::npos);
}

// Operations of rank 0 to the last one.
void reach_in_vain(const std::string& what, any& w, const team& world) {
  const int me = world.me().value;
  std::vector<int> buffer(1 << 16);
  auto epoch = w.lock_all();
  const std::vector<pid_t> processes = world.allgather(getpid());
  std::printf("rank %d began\n", me);
  std::fflush(stdout);
  if (me == world.size() - 1) raise(SIGSTOP);
  if (me != 0) hang();
  await_stop_of(processes.back());
  const rank last{world.size() - 1};
  if (what == "request") static_cast<void>(w.rget(last, disp{0}, std::span(buffer)).wait());
  static_cast<void>(w.put(last, disp{0}, std::span<const int>(buffer)));
  static_cast<void>(epoch.end());
  hang();
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  const session job;
  const team world = job.world();
  const int me = world.me().value;
  if (what == "half") meet_in_vain(what, world, (world.size() + 1) / 2);
  if (what == "barrier" || what == "broadcast" || what == "allocate" || what == "shrink")
    meet_in_vain(what, world, world.size() - 1);
  if (what == "phase" || what == "rehash" || what == "make") share_a_map_in_vain(what, world);
  window_options options;
  options.name = "hanging";
  if (what != "lock" && what != "circle" && what != "fence" && what != "puts") {
    auto w = any::allocate(world, 1 << 16, options);
    if (what == "held" || what == "shared" || what == "all") lock_in_vain(what, w, world);
    if (what == "start" || what == "wait") expose_in_vain(what, w, world);
    reach_in_vain(what, w, world);
  }
  auto w = window<int>::allocate(world, 4, assertion::fence | assertion::exclusive_lock, options);
  if (what == "puts") {
    w.fence().or_throw();
    for (int i = 0; i < 1000; ++i) w.put(world.next(), disp{0}, i).or_throw();
    lock_both(w, world, {}, {});
  }
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
