#include "bench/limits/net/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace bench::net {
namespace {

int checked(const char* name, int rc) {
  if (rc < 0) throw std::runtime_error(std::string(name) + ": " + std::strerror(errno));
  return rc;
}

// Rank 0 listens; the other is told the port.
int connect_both(processes& all) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&at);
  socklen_t length = sizeof at;
  int joined = checked("socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (all.rank() == 0) {
    checked("bind", bind(joined, any, length));
    checked("listen", listen(joined, 1));
    checked("getsockname", getsockname(joined, any, &length));
  }
  std::string mine(sizeof at.sin_port, '\0');
  std::memcpy(mine.data(), &at.sin_port, mine.size());
  const std::string port = all.gather(mine)[0];
  if (all.rank() == 0) {
    const int listening = joined;
    joined = checked("accept", accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    close(listening);
  } else {
    std::memcpy(&at.sin_port, port.data(), port.size());
    checked("connect", connect(joined, any, length));
  }
  const int on = 1;
  checked("setsockopt", setsockopt(joined, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  checked("fcntl", fcntl(joined, F_SETFL, O_NONBLOCK));
  return joined;
}

}  // namespace

connection::connection(processes& all) : socket_(connect_both(all)) {}

connection::~connection() {
  close(socket_);
}

}  // namespace bench::net
