// Where the ranks of the job will meet: a socket that listens before any rank runs, so that no port
// can be lost to another program, and the secret by which they know each other.
#pragma once

#include <string>

#include "session/bootstrap/rendezvous.hpp"

namespace oriel::tools {

struct meeting_point {
  sessions::socket_fd socket;  // closed on exec
  std::string address;         // host:port
  std::string secret;  // 128 random bits, as hexadecimal digits; empty where none can be proven
};

// `host`: an IPv4 address of this machine, in digits; every rank must have a way to it. Throws
// errc::system.
meeting_point make_meeting_point(const std::string& host = "127.0.0.1");

}  // namespace oriel::tools
