#include "session/bootstrap/socket_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// More than any rank has children: others may come, too.
constexpr int most_waiting = 1024;

template <class Which>
std::optional<socket_address> address_of(int fd, Which which) noexcept {
  socket_address found;
  found.length = sizeof found.bytes;
  if (which(fd, found.get(), &found.length) != 0) return std::nullopt;
  return found;
}

// Requires: that family.
const in6_addr& host_of_ip6(const socket_address& a) noexcept {
  return reinterpret_cast<const sockaddr_in6*>(&a.bytes)->sin6_addr;
}

std::optional<socklen_t> length_of(sa_family_t family) noexcept {
  if (family == AF_INET) return sizeof(sockaddr_in);
  if (family == AF_INET6) return sizeof(sockaddr_in6);
  return std::nullopt;
}

// Ports lie at the same place in both families.
static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
constexpr std::size_t port_at = offsetof(sockaddr_in, sin_port);

}  // namespace

std::uint16_t socket_address::port() const noexcept {
  std::uint16_t there = 0;
  std::memcpy(&there, reinterpret_cast<const char*>(&bytes) + port_at, sizeof there);
  return ntohs(there);
}

void socket_address::set_port(std::uint16_t p) noexcept {
  const std::uint16_t there = htons(p);
  std::memcpy(reinterpret_cast<char*>(&bytes) + port_at, &there, sizeof there);
}

bool socket_address::is_loopback() const noexcept {
  if (family() == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&host_of_ip6(*this));
  const auto& host = reinterpret_cast<const sockaddr_in*>(&bytes)->sin_addr;
  return ntohl(host.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

bool socket_address::is_link_local() const noexcept {
  return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&host_of_ip6(*this));
}

socket_address own_address(int fd) {
  const auto found = address_of(fd, getsockname);
  if (!found) system_failure("the address of a socket cannot be found out");
  return *found;
}

std::optional<socket_address> peer_address(int fd) noexcept {
  return address_of(fd, getpeername);
}

socket_address unmapped(const socket_address& a) noexcept {
  if (a.family() != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&host_of_ip6(a))) return a;
  sockaddr_in plain{};
  plain.sin_family = AF_INET;
  std::memcpy(&plain.sin_addr, &host_of_ip6(a).s6_addr[12], sizeof plain.sin_addr);
  socket_address made;
  std::memcpy(&made.bytes, &plain, sizeof plain);
  made.length = sizeof plain;
  made.set_port(a.port());
  return made;
}

std::string encode(const socket_address& a) {
  return {reinterpret_cast<const char*>(&a.bytes), a.length};
}

std::optional<socket_address> decode_address(std::string_view bytes) noexcept {
  socket_address a;
  if (bytes.size() > sizeof a.bytes) return std::nullopt;
  std::memcpy(&a.bytes, bytes.data(), bytes.size());
  a.length = static_cast<socklen_t>(bytes.size());
  if (length_of(a.bytes.ss_family) != a.length) return std::nullopt;
  return a;
}

std::string in_words(const socket_address& a) {
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(a.get(), a.length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "an address of no known family";
  return std::string(host.data()) + ":" + std::to_string(a.port());
}

socket_fd listen_beside(int connection) {
  socket_address here = own_address(connection);
  here.set_port(0);
  socket_fd s(socket(here.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!s.valid() || bind(s.get(), here.get(), here.length) != 0 ||
      listen(s.get(), most_waiting) != 0)
    return {};
  return s;
}

}  // namespace oriel::sessions
