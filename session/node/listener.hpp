// Where this rank is reached by those of other nodes that watch whether it lives.
#pragma once

#include <netinet/in.h>

#include <string>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

struct listener {
  socket_fd fd;  // does not block
  sockaddr_in where{};
};

// At a port of the kernel's choice. The address is that of `interface`, or, where this is empty, of
// the first interface that is up and not loopback, or else loopback. Throws errc::arg when there is
// no such interface, errc::system.
listener listen_for_other_nodes(const std::string& interface);

// "10.0.0.3:4711".
std::string in_words(const sockaddr_in&);

}  // namespace oriel::sessions
