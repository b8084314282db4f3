// A rank for a debugger: rank 1 says its process and goes on once it is traced, then puts, gets and
// takes part in epochs whose probes are known; in the last fence it waits for rank 0.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <thread>

#include "oriel/oriel.hpp"

namespace {

using namespace oriel;
using namespace std::chrono_literals;

bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return std::stoi(line.substr(10)) != 0;
  return false;
}

}  // namespace

int main() {
  const session job;
  const team world = job.world();
  const bool probed = world.me().value == 1;
  auto w = window<int>::allocate(world, 8,
                                 assertion::fence | assertion::pscw | assertion::shared_lock |
                                     assertion::multi_element | assertion::local_load_store);
  if (probed) {
    std::printf("process %d\n", getpid());
    std::fflush(stdout);
    for (int i = 0; i < 6000 && !is_traced(); ++i) std::this_thread::sleep_for(5ms);
  }
  world.barrier().or_throw();
  const std::array other{rank{1 - world.me().value}};
  std::array<int, 3> three{1, 2, 3};
  {
    auto epoch = w.lock_all();
    if (probed) {
      w.put(rank{0}, disp{0}, std::span<const int>(three)).or_throw();
      w.get(rank{1}, disp{0}, std::span<int>(three).first(2)).or_throw();
      w.put(rank{0}, disp{5}, 7).or_throw();
      w.flush(rank{0}).or_throw();
    }
  }
  if (probed) auto epoch = w.lock_shared(rank{0});
  world.barrier().or_throw();
  w.post(other).or_throw();
  { auto epoch = w.start(other); }
  w.wait().or_throw();
  world.barrier().or_throw();
  if (!probed) std::this_thread::sleep_for(300ms);
  w.fence().or_throw();
  return 0;
}
