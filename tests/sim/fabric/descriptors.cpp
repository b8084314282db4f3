// ppoll, as the linker has it called in the place of the system's: waits in the simulation's time.
#include "tests/sim/fabric/descriptors.hpp"

#include <poll.h>

#include <chrono>
#include <ctime>
#include <vector>

#include "tests/sim/fabric/network.hpp"

extern "C" int __wrap_ppoll(pollfd* watched, nfds_t n, const timespec* limit, const sigset_t*) {
  using namespace oriel::sim;
  network& wires = network::of_run();
  std::vector<network::queue*> queues;
  for (nfds_t i = 0; i < n; ++i)
    queues.push_back(&wires.queue_at(watched[i].fd - first_descriptor));
  const auto at_most = std::chrono::seconds(limit->tv_sec) + nanoseconds(limit->tv_nsec);
  const bool ready = wires.wait(queues, at_most);
  return ready ? 1 : 0;
}
