#include "session/bootstrap/named_place.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

#include "oriel/errc.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

using addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string in_words(const char* name, const host_port& place) {
  return std::string(name) + "=" + place.host + ":" + std::to_string(place.port);
}

addresses resolve(const char* name, const host_port& place, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(place.port);
  if (const int failure = getaddrinfo(place.host.c_str(), port.c_str(), &hints, &found))
    throw error(errc::arg, std::string(name) + " is '" + place.host + ":" + port +
                               "': " + gai_strerror(failure));
  return {found, freeaddrinfo};
}

named_place find(int rank, const char* name, const host_port& place) {
  const addresses found = resolve(name, place, 0);
  socket_address where;
  std::memcpy(&where.bytes, found->ai_addr, found->ai_addrlen);
  where.length = found->ai_addrlen;
  return {rank, in_words(name, place), where};
}

socket_fd listen_at(const char* name, const host_port& place) {
  const addresses found = resolve(name, place, AI_PASSIVE);
  socket_fd s(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!s.valid() || setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(s.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(s.get(), 1024) != 0)
    system_failure("rank 0 cannot listen at " + in_words(name, place));
  return s;
}

}  // namespace

named_place root_of(const job_description& job) {
  return find(0, "ORIEL_ROOT", job.root);
}

named_place parent_of(const job_description& job) {
  return find(parent_in_tree(job.rank), "ORIEL_PARENT", *job.parent);
}

socket_fd listen_as_told(const job_description& job) {
  if (job.root_fd < 0 && job.rank == 0) return listen_at("ORIEL_ROOT", job.root);
  if (job.root_fd < 0)
    throw error(errc::arg, "ORIEL_ROOT_FD is not set on rank " + std::to_string(job.rank) +
                               "; valid beside ORIEL_PARENT on each rank that others join: a "
                               "socket that listens for them");
  int listens = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(job.root_fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0)
    throw error(errc::arg, "ORIEL_ROOT_FD is " + std::to_string(job.root_fd) + " on rank " +
                               std::to_string(job.rank) +
                               ", which is no socket that listens; valid: the one that the "
                               "launcher has made, which a script may have closed or replaced");
  fcntl(job.root_fd, F_SETFD, FD_CLOEXEC);
  // The descriptor stays with the process: a later session of the job listens there again.
  socket_fd copy(fcntl(job.root_fd, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid() || fcntl(copy.get(), F_SETFL, O_NONBLOCK) != 0) system_failure("ORIEL_ROOT_FD");
  return copy;
}

}  // namespace oriel::sessions
