#include "tests/faults/cables/cabled_hosts.hpp"

#include <fmt/format.h>

#include "tools/hosts/ip_command.hpp"

namespace oriel::testing {

cabled_hosts::cabled_hosts(int cables) {
  // First of all, lest the two ends of a cable get the same number: the kernel takes up to a second
  // to see that such a link is up.
  tools::run_ip(between_, "link add unused type bridge\n");
  for (int c = 0; c < cables; ++c) {
    for (const int h : {0, 1}) {
      tools::run_ip(host(h),
                    fmt::format("link set lo up\n"
                                "link add eth{0} type veth peer name host{1}cable{0} netns {2}\n"
                                "address add {3}/24 dev eth{0}\n",
                                c, h, tools::name_of(between_), address(h, c)),
                    &between_);
      tools::run_ip(between_, fmt::format("link set host{}cable{} addrgenmode none up\n", h, c));
      host(h).visit([&] { send_plain_frames(fmt::format("eth{}", c).c_str()); });
      set(h, c, true);
    }
    cable_ends both;
    between_.visit([&] {
      for (const int h : {0, 1})
        both[static_cast<std::size_t>(h)] = open_end(fmt::format("host{}cable{}", h, c).c_str());
    });
    ends_.push_back(std::move(both));
  }
}

std::string cabled_hosts::address(int host, int cable) {
  return fmt::format("10.213.{}.{}", cable, host + 1);
}

void cabled_hosts::set(int host, int cable, bool up) const {
  tools::run_ip(this->host(host), fmt::format("link set eth{} {}\n", cable, up ? "up" : "down"));
}

}  // namespace oriel::testing
