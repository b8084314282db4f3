// The connections of a provider over tcp in this process, for tests that break them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/libfabric.hpp"

namespace oriel::transport {

inline std::uint16_t port_of(const sockaddr_storage& a) {
  return reinterpret_cast<const sockaddr_in&>(a).sin_port;
}

// Where the provider listens in this process.
inline std::uint16_t listening_port(libfabric& way) {
  sockaddr_storage listening{};
  const std::string address = way.port().address();
  std::copy_n(address.data(), std::min(address.size(), sizeof listening),
              reinterpret_cast<char*>(&listening));
  return port_of(listening);
}

// Those of the provider alone: between its listening sockets, of all ranks, and others.
inline std::vector<int> provider_connections(const std::vector<std::uint16_t>& listening) {
  std::vector<int> found;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_storage here{}, there{};
    socklen_t length = sizeof here, length_there = sizeof there;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&here), &length) != 0 ||
        getpeername(fd, reinterpret_cast<sockaddr*>(&there), &length_there) != 0 ||
        here.ss_family != AF_INET)
      continue;
    const auto listens = [&](const sockaddr_storage& a) {
      return std::find(listening.begin(), listening.end(), port_of(a)) != listening.end();
    };
    if (listens(here) || listens(there)) found.push_back(fd);
  }
  return found;
}

}  // namespace oriel::transport
