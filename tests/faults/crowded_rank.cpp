// A job of nodes of one rank each, on one host whose listening queues hold few connections, while
// rank 0 computes with a lock that all others want: crowded_rank STRANGERS SECONDS. Each rank's
// strangers connect to every port of the host and stay without a word.
#include <cstdlib>
#include <fstream>
#include <vector>

#include "tests/faults/scenario.hpp"
#include "tests/faults/strangers.hpp"

namespace oriel::testing {
namespace {

// Of this host alone: the network namespace that the test has made.
bool shorten_queues() {
  std::ofstream most("/proc/sys/net/core/somaxconn");
  most << 8 << std::flush;
  return most.good();
}

// How many of them the other side has hung up on.
std::size_t hung_up_on(const std::vector<sessions::socket_fd>& strangers) {
  std::size_t n = 0;
  for (const sessions::socket_fd& s : strangers) {
    char byte = 0;
    const ssize_t got = recv(s.get(), &byte, 1, MSG_DONTWAIT);
    n += got == 0 || (got < 0 && errno != EAGAIN) ? 1 : 0;
  }
  return n;
}

int run(int crowd, double seconds) {
  if (!shorten_queues()) return std::puts("cannot shorten the queues"), 4;
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, 1, everything | assertion::local_load_store);
  auto held = me == 0 ? w.lock_exclusive(rank{0}) : epoch{};
  world.barrier().or_throw();
  // Before anybody has waited for long.
  std::vector<sessions::socket_fd> strangers;
  if (me != 0)
    for (const sockaddr_in& at : listening_places(whose::everybodys))
      for (int i = 0; i < crowd; ++i)
        if (sessions::socket_fd one = knock(at); one.valid()) strangers.push_back(std::move(one));
  if (me == 0) {
    pause(seconds);
    held.end().or_throw();
  }
  outcome o = timed([&] {
    auto mine = w.lock_exclusive(rank{0});
    const status opened = mine.opened();
    if (opened.ok()) w.fetch_add(rank{0}, disp{0}, 1);
    const status ended = mine.end();
    return opened.ok() ? ended : opened;
  });
  o.text = w.failure();
  say(me, "met " + described(o));
  say(me, "saw " + std::to_string(hung_up_on(strangers)) + " of " +
              std::to_string(strangers.size()) + " strangers dropped");
  const status met = world.barrier();
  if (me == 0) say(me, "counted " + std::to_string(w.local()[0]));
  return met.ok() ? 0 : 1;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  const char* const rank = std::getenv("ORIEL_RANK");
  setenv("ORIEL_NODE_ID", rank == nullptr ? "" : rank, 1);
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::atoi(argv[1]), std::atof(argv[2])); });
}
