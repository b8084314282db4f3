// Where a rank listens, in any family of addresses, as it is announced to others.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

struct socket_address {
  sockaddr_storage bytes{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&bytes);
  }
  [[nodiscard]] sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&bytes); }
  [[nodiscard]] int family() const noexcept { return bytes.ss_family; }
  // Requires: IPv4 or IPv6, as are all that are made here.
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t) noexcept;
  // Of one host, and of one link.
  [[nodiscard]] bool is_loopback() const noexcept;
  [[nodiscard]] bool is_link_local() const noexcept;
};

// Of this end of a connection. Throws errc::system.
socket_address own_address(int fd);
// Of the other end; nothing where the connection has ended.
std::optional<socket_address> peer_address(int fd) noexcept;

// The address of IPv4 that one of IPv6 stands for, as a socket of both families is told of it;
// another as it is.
socket_address unmapped(const socket_address&) noexcept;

std::string encode(const socket_address&);
// Nothing when the bytes are no address of IPv4 or IPv6.
std::optional<socket_address> decode_address(std::string_view bytes) noexcept;

// "10.0.0.3:4711".
std::string in_words(const socket_address&);

// A socket that does not block and listens where this end of `connection` is, at a port of the
// kernel's choice: on the network on which it was made, and on no other. Not valid where the system
// lets this rank not listen. Throws errc::system.
socket_fd listen_beside(int connection);

}  // namespace oriel::sessions
