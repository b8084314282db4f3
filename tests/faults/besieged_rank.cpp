// A job at whose every listening socket strangers knock while it works: besieged_rank SECONDS.
#include <atomic>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/faults/scenario.hpp"
#include "tests/faults/strangers.hpp"

namespace oriel::testing {
namespace {

// Something that no request precedes.
std::string nonsense(std::mt19937& dice) {
  std::string words;
  switch (dice() % 4) {
    case 0:
      return "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    case 1:
      return std::string(4096, '\xff');
    case 2:
      for (int i = 0; i < 300; ++i) words += static_cast<char>(dice());
      return words;
    default:
      return words;
  }
}

int run(double seconds) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, 1000, everything);
  const auto places = listening_places(whose::my_own);
  std::atomic<bool> stop{false};
  std::size_t knocks = 0, heard = 0;
  std::thread strangers([&] {
    std::mt19937 dice(static_cast<unsigned>(me));
    std::vector<sessions::socket_fd> staying;
    while (!stop) {
      for (const sockaddr_in& at : places) {
        sessions::socket_fd s = knock(at, nonsense(dice));
        ++knocks;
        heard += s.valid() ? 1 : 0;
        if (staying.size() < 50 && dice() % 4 == 0) staying.push_back(std::move(s));
      }
      pause(0.01);
    }
  });
  const std::vector<int> row(1000, me + 1);
  const auto until = steady::now() + std::chrono::duration<double>(seconds);
  bool sound = w.fence().ok();
  int rounds = 0;
  for (bool more = true; sound && more; ++rounds) {
    static_cast<void>(w.put(world.next(), disp{0}, std::span(row)));
    sound = w.fence().ok() && w.get(world.me(), disp{999}) == world.previous().value + 1;
    {
      auto epoch = w.lock_exclusive(world.next());
      sound = sound && w.fetch_add(world.next(), disp{5}, 1) == me + 1 && epoch.end().ok();
    }
    sound = w.fence().ok() && sound;
    more = world.allreduce(steady::now() < until ? 1 : 0, atomic_op::min) == 1;
  }
  stop = true;
  strangers.join();
  say(me, "knocked at " + std::to_string(places.size()) + " places, " + std::to_string(heard) +
              " of " + std::to_string(knocks) + " let in, " + std::to_string(rounds) + " rounds");
  say(me, sound ? "unharmed" : "harmed: " + w.failure());
  return sound ? 0 : 1;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(std::atof(argv[1])); });
}
