#include "tools/hosts/host_network.hpp"

#include <fmt/format.h>

#include "tools/hosts/ip_command.hpp"

namespace oriel::tools {

host_network::host_network(int hosts) : hosts_(static_cast<std::size_t>(hosts)) {
  // The bridge comes first, lest the two ends of a cable get the same number: the kernel takes up
  // to a second to see that such a link is up.
  run_ip(between_, "link add bridge type bridge\nlink set bridge up\n");
  std::string plug;
  for (int i = 0; i < hosts; ++i) {
    // A cable whose far end is in the bridge's namespace from the start.
    run_ip(host(i),
           fmt::format("link add eth0 type veth peer name host{} netns {}\n"
                       "link set lo up\n"
                       "address add {}/24 dev eth0\n"
                       "link set eth0 up\n",
                       i, name_of(between_), address(i)),
           &between_);
    plug += fmt::format("link set host{} master bridge up\n", i);
  }
  run_ip(between_, plug);
}

std::string host_network::address(int host) {
  return fmt::format("10.213.0.{}", host + 1);
}

void host_network::cut(int host) const {
  run_ip(this->host(host), "link set eth0 down\n");
}

// The address has stayed, and brings the route to the other hosts along.
void host_network::mend(int host) const {
  run_ip(this->host(host), "link set eth0 up\n");
}

}  // namespace oriel::tools
