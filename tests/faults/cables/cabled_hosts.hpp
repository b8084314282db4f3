// Two hosts that share one machine, joined by lossy cables: network namespaces, whose interfaces
// eth0, eth1 and so on lead through a third one. Nothing outside these namespaces is touched, and
// nothing is left when the processes inside have ended.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/faults/cables/lossy_cable.hpp"
#include "tools/hosts/network_namespace.hpp"

namespace oriel::testing {

class cabled_hosts {
 public:
  // Throws errc::system. Requires: obtain_right_to_namespaces, 1 <= cables <= 9.
  explicit cabled_hosts(int cables);

  // To be given to lossy_cables, once.
  [[nodiscard]] std::vector<cable_ends> take_ends() { return std::move(ends_); }
  [[nodiscard]] const tools::network_namespace& host(int i) const {
    return hosts_[static_cast<std::size_t>(i)];
  }
  // 10.213.CABLE.1 on the first host, .2 on the other.
  [[nodiscard]] static std::string address(int host, int cable);
  // Sets the end of a cable that is at `host` down, or up again. Throws errc::system.
  void set(int host, int cable, bool up) const;

 private:
  tools::network_namespace between_;
  std::array<tools::network_namespace, 2> hosts_;
  std::vector<cable_ends> ends_;
};

}  // namespace oriel::testing
