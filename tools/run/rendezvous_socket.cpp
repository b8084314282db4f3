#include "tools/run/rendezvous_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "oriel/errc.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/bootstrap/proof.hpp"
#include "session/bootstrap/random_bytes.hpp"
#include "session/system_failure.hpp"

namespace oriel::tools {
namespace {

// More than any rank of a tree has children: others may come, too.
constexpr int most_waiting = 4096;

}  // namespace

std::string make_secret() {
  std::string text;
  if (!sessions::proofs_available()) return text;
  for (const unsigned char b : sessions::random_value<std::array<unsigned char, 16>>()) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

listener listen_on(const std::string& host) {
  listener made{sessions::socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), ""};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  if (inet_pton(AF_INET, host.c_str(), &where.sin_addr) != 1)
    throw error(errc::system, "'" + host + "' is no IPv4 address in digits");
  socklen_t length = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  if (!made.socket.valid() || bind(made.socket.get(), address, sizeof where) != 0 ||
      listen(made.socket.get(), most_waiting) != 0 ||
      getsockname(made.socket.get(), address, &length) != 0)
    sessions::system_failure("cannot listen on " + host);
  made.address = host + ":" + std::to_string(ntohs(where.sin_port));
  return made;
}

meeting_points::meeting_points(int ranks, listen_for listen)
    : ranks_(ranks), listen_(std::move(listen)) {}

meeting_point meeting_points::next() {
  const int rank = static_cast<int>(addresses_.size());
  const bool tree = ranks_ > sessions::largest_star;
  listener own;
  if (rank == 0 || (tree && !sessions::place_in_tree(rank, ranks_).children.empty()))
    own = listen_(rank);
  addresses_.push_back(own.address);
  const int parent = rank == 0 ? 0 : sessions::parent_in_tree(rank);
  return {.socket = std::move(own.socket),
          .root = addresses_[0],
          .parent = tree ? addresses_[static_cast<std::size_t>(parent)] : "",
          .secret = secret_};
}

}  // namespace oriel::tools
