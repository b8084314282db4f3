// Where the ranks of the job will meet: sockets that listen before the ranks that need them run, so
// that no port can be lost to another program, and the secret by which ranks know each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/bootstrap/rendezvous.hpp"

namespace oriel::tools {

struct listener {
  sessions::socket_fd socket;  // closed on exec
  std::string address;         // host:port
};

// `host`: an IPv4 address of this machine, in digits. Throws errc::system.
listener listen_on(const std::string& host = "127.0.0.1");

// 128 random bits, as hexadecimal digits; empty where none can be proven.
std::string make_secret();

// What one rank is told.
struct meeting_point {
  sessions::socket_fd socket;  // with which it listens; not valid where no rank joins it
  std::string root;            // where rank 0 listens
  std::string parent;          // where the rank that it joins does; empty: all join rank 0
  std::string secret;
};

// Of a job whose ranks are started in rank order, so that a rank's parent has its socket before it.
class meeting_points {
 public:
  // Makes the socket of a rank, to which every other rank must have a way.
  using listen_for = std::function<listener(int rank)>;

  explicit meeting_points(
      int ranks, listen_for listen = [](int) { return listen_on(); });
  // Of rank 0, then of 1, and so on. Throws errc::system.
  meeting_point next();

 private:
  int ranks_;
  listen_for listen_;
  std::string secret_ = make_secret();
  std::vector<std::string> addresses_;  // by rank; empty where no rank joins it
};

}  // namespace oriel::tools
