// One link of the failure detector: a TCP connection between two ranks. The kernel reports when the
// other process has ended (a reset) or does not answer for too long (keepalive). It carries a hello
// from either side and then news. Nothing here blocks.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "session/bootstrap/socket_fd.hpp"
#include "session/node/link_message.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

struct peer_link {
  using clock = sync::clock;
  enum class stage { connecting, greeting, up };

  // Accepted on rail `rail`. `silence`: how long not even the other kernel may answer.
  peer_link(socket_fd accepted, int rail, std::chrono::milliseconds silence, link_reader reader);
  // Begins to connect to rank `to`, at `where` on rail `rail`, from an address of this host's, or
  // INADDR_ANY. What hinders that, as an errno, is in `failure`.
  peer_link(int to, int rail, const sockaddr_in& where, const in_addr& from,
            std::chrono::milliseconds silence, link_reader reader, int& failure);

  // What connecting has come to, once the socket is ready: 0 or an errno.
  [[nodiscard]] int connected() const noexcept;
  // Takes in some of what has come: how many bytes, 0 when there is nothing now, and the negative
  // of an errno when the connection has ended; of ECONNRESET too when the other side has closed it.
  // Requires: room in `in`.
  [[nodiscard]] ssize_t receive() noexcept;
  // Sends as much of `out` as goes now. 0, or the errno that has ended the connection.
  [[nodiscard]] int send_out() noexcept;
  void close() noexcept { fd = socket_fd(); }
  [[nodiscard]] bool open() const noexcept { return fd.valid(); }

  socket_fd fd;
  int peer = -1;  // unknown until its hello
  int rail = 0;
  bool by_me = false;
  stage at = stage::connecting;
  clock::time_point since = clock::now();
  link_reader in;
  link_hello said;  // to the other side
  std::string out;
  std::size_t told = 0;  // places in the logs of what is passed on
  std::size_t called = 0;
  std::uint32_t told_of_rails = 0;  // that they have failed
};

}  // namespace oriel::sessions
