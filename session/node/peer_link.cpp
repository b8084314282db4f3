#include "session/node/peer_link.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "session/bootstrap/keepalive.hpp"

namespace oriel::sessions {

peer_link::peer_link(socket_fd accepted, int on_rail, std::chrono::milliseconds silence,
                     link_reader reader)
    : fd(std::move(accepted)), rail(on_rail), at(stage::greeting), in(reader) {
  keep_alive(fd.get(), silence);
}

peer_link::peer_link(int to, int on_rail, const sockaddr_in& where, const in_addr& from,
                     std::chrono::milliseconds silence, link_reader reader, int& failure)
    : fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      peer(to),
      rail(on_rail),
      by_me(true),
      in(reader) {
  failure = fd.valid() ? 0 : errno;
  if (failure != 0) return;
  keep_alive(fd.get(), silence);
  const int yes = 1;  // the port is chosen as if nothing were bound
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr = from;
  const bool begun =
      setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes) == 0 &&
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0 &&
      (connect(fd.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0 ||
       errno == EINPROGRESS);
  if (!begun) failure = errno;
}

int peer_link::connected() const noexcept {
  int failure = 0;
  socklen_t length = sizeof failure;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failure, &length) != 0) return errno;
  return failure;
}

ssize_t peer_link::receive() noexcept {
  const std::span<char> room = in.room();
  for (;;) {
    const ssize_t n = recv(fd.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (n > 0) return in.came(static_cast<std::size_t>(n)), n;
    if (n == 0) return -ECONNRESET;
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return -errno;
  }
}

int peer_link::send_out() noexcept {
  while (!out.empty()) {
    const ssize_t n = send(fd.get(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
      out.erase(0, static_cast<std::size_t>(n));
    else if (errno == EAGAIN)
      return 0;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace oriel::sessions
