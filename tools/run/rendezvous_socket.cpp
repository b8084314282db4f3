#include "tools/run/rendezvous_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "oriel/errc.hpp"
#include "session/bootstrap/proof.hpp"
#include "session/bootstrap/random_bytes.hpp"
#include "session/system_failure.hpp"

namespace oriel::tools {
namespace {

std::string random_digits() {
  std::string text;
  for (const unsigned char b : sessions::random_value<std::array<unsigned char, 16>>()) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

}  // namespace

meeting_point make_meeting_point(const std::string& host) {
  meeting_point m{sessions::socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), "",
                  sessions::proofs_available() ? random_digits() : ""};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  if (inet_pton(AF_INET, host.c_str(), &where.sin_addr) != 1)
    throw error(errc::system, "'" + host + "' is no IPv4 address in digits");
  socklen_t length = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  if (!m.socket.valid() || bind(m.socket.get(), address, sizeof where) != 0 ||
      listen(m.socket.get(), 4096) != 0 || getsockname(m.socket.get(), address, &length) != 0)
    sessions::system_failure("cannot listen on " + host);
  m.address = host + ":" + std::to_string(ntohs(where.sin_port));
  return m;
}

}  // namespace oriel::tools
