// A job in which one rank's machine has too little of something: limited_rank WHAT RANK [NUMBER].
#include <sys/resource.h>

#include <cstdlib>

#include "session/node/node_memory.hpp"
#include "tests/faults/scenario.hpp"
#include "tests/support/descriptors.hpp"

namespace oriel::testing {
namespace {

void limit(int resource, rlim_t most) {
  rlimit l{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &l);
}

int opening(int me) {
  outcome o = timed([&]() -> status {
    session s;
    auto w = window<int>::allocate(s.world(), 10, everything);
    static_cast<void>(w.put(s.world().next(), disp{0}, 1));
    return w.fence();
  });
  say(me, "met " + described(o));
  return 0;
}

int locked_memory(int me, bool limited) {
  if (limited) limit(RLIMIT_MEMLOCK, 0);
  session s;
  say(me, goes_on(s.world(), s.world().size()) ? "met success after 0" : "met nonsense");
  return 0;
}

// More than this rank's node has: more than its memory file may hold, or more than is free. Far
// more, since others of the machine may give some back meanwhile.
int memory(int me, bool limited, bool beyond_the_arena) {
  session s;
  const sessions::node_memory& arena = s.state()->memory();
  const std::size_t used = arena.used();
  const std::size_t bytes = beyond_the_arena ? arena.capacity() + 1 : arena.capacity() / 100 * 80;
  const int plenty = sessions::available_memory() > bytes / 2 ? 1 : 0;
  if (s.world().allreduce(plenty, atomic_op::max) == 1 && !beyond_the_arena) {
    say(me, "has too much memory for this");
    return 0;
  }
  outcome o = timed([&]() -> status {
    window<char>::allocate(s.world(), limited ? bytes : 1000, everything);
    return {};
  });
  say(me, "met " + described(o));
  say(me, memory_returns_to(s, used) ? "left nothing" : "left node memory behind");
  s.world().barrier().or_throw();
  say(me, goes_on(s.world(), s.world().size()) ? "went on" : "did not go on");
  return 0;
}

int run(const std::string& what, int rank, int number) {
  const int me = std::atoi(std::getenv("ORIEL_RANK"));
  const bool limited = me == rank;
  if (what == "descriptors" && limited)
    limit(RLIMIT_NOFILE, open_descriptors() + static_cast<std::size_t>(number));
  if (what == "files" && limited) limit(RLIMIT_FSIZE, rlim_t{1} << 20);
  if (what == "addresses" && limited) limit(RLIMIT_AS, rlim_t{1} << 30);
  if (what == "descriptors" || what == "files" || what == "addresses") return opening(me);
  if (what == "memlock") return locked_memory(me, limited);
  return memory(me, limited, what == "arena");
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  return oriel::testing::play([&] {
    return oriel::testing::run(argv[1], std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 0);
  });
}
