// getifaddrs, as the linker has it called in the place of the system's: of a run's processes, the
// interfaces of its network.
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/sim/fabric/network.hpp"

namespace oriel::sim {
namespace {

// What one call has listed; all of it goes with its first.
struct listed_interface {
  ifaddrs face{};
  std::string name;
  sockaddr_in address{};
};
struct listed_interfaces {
  explicit listed_interfaces(int n) : all(static_cast<std::size_t>(n)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      listed_interface& one = all[i];
      one.name = "sim" + std::to_string(i);
      one.address.sin_family = AF_INET;
      one.face.ifa_next = i + 1 < all.size() ? &all[i + 1].face : nullptr;
      one.face.ifa_name = one.name.data();
      one.face.ifa_addr = reinterpret_cast<sockaddr*>(&one.address);
      one.face.ifa_flags = IFF_UP | IFF_RUNNING;
    }
    all.front().face.ifa_data = this;
  }
  std::vector<listed_interface> all;
};

}  // namespace
}  // namespace oriel::sim

extern "C" {

int __real_getifaddrs(ifaddrs** all);
int __wrap_getifaddrs(ifaddrs** all) {
  using namespace oriel::sim;
  if (scheduler::active() == nullptr) return __real_getifaddrs(all);
  *all = &(new listed_interfaces(network::of_run().traits().rails))->all.front().face;
  return 0;
}

void __real_freeifaddrs(ifaddrs* all);
void __wrap_freeifaddrs(ifaddrs* all) {
  using namespace oriel::sim;
  if (scheduler::active() == nullptr) return __real_freeifaddrs(all);
  delete static_cast<listed_interfaces*>(all->ifa_data);
}
}
