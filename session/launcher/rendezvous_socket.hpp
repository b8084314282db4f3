// Where the ranks of the job will meet: a socket that listens on loopback before any rank runs, so
// that no port can be lost to another program, and the secret that joiners must present.
#pragma once

#include <string>

#include "session/rendezvous.hpp"

namespace oriel::launch {

struct meeting_point {
  boot::socket_fd socket;  // closed on exec
  std::string address;     // host:port
  std::string secret;      // 128 random bits, as hexadecimal digits
};

// Throws errc::system.
meeting_point make_meeting_point();

}  // namespace oriel::launch
