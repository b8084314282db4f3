#include "session/node/listener.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

#include "oriel/errc.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// The kernel takes as many as its own limit allows (net.core.somaxconn).
constexpr int queue = 4096;

in_addr own_address(const std::string& wanted) {
  in_addr found{};
  found.s_addr = htonl(INADDR_LOOPBACK);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  bool known = wanted.empty();
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    const bool fits = !wanted.empty()
                          ? wanted == i->ifa_name
                          : (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0;
    if (!fits) continue;
    sockaddr_in address{};
    std::memcpy(&address, i->ifa_addr, sizeof address);
    found = address.sin_addr;
    known = true;
    break;
  }
  if (!known)
    throw error(errc::arg, "ORIEL_INTERFACE is '" + wanted +
                               "'; valid: an interface of this host that has an IPv4 address");
  return found;
}

}  // namespace

listener listen_for_other_nodes(const std::string& interface) {
  listener made;
  made.where.sin_family = AF_INET;
  made.where.sin_addr = own_address(interface);
  made.fd = socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  socklen_t length = sizeof made.where;
  auto* const address = reinterpret_cast<sockaddr*>(&made.where);
  if (!made.fd.valid() || bind(made.fd.get(), address, length) != 0 ||
      listen(made.fd.get(), queue) != 0 || getsockname(made.fd.get(), address, &length) != 0)
    system_failure("cannot listen for the other nodes");
  return made;
}

std::string in_words(const sockaddr_in& where) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &where.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(where.sin_port));
}

}  // namespace oriel::sessions
