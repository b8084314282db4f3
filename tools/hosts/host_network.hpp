// Hosts that share one machine: network namespaces, each with one link, joined by a bridge in a
// namespace of its own. Nothing outside these namespaces is touched, and nothing is left when this
// object's process and those inside the hosts have ended, in whatever way.
#pragma once

#include <string>
#include <vector>

#include "tools/hosts/network_namespace.hpp"

namespace oriel::tools {

constexpr int most_hosts = 254;  // that the addresses of the network have room for

class host_network {
 public:
  // Hosts 0 to `hosts` - 1. Throws errc::system. Requires: obtain_right_to_namespaces and
  // 1 <= hosts <= most_hosts.
  explicit host_network(int hosts);

  [[nodiscard]] const network_namespace& host(int i) const {
    return hosts_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] static std::string address(int host);
  // Sets the host's link down, as if its cable were pulled, and up again. Throws errc::system.
  void cut(int host) const;
  void mend(int host) const;

 private:
  network_namespace between_;
  std::vector<network_namespace> hosts_;
};

}  // namespace oriel::tools
