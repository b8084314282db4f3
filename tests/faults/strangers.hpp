// Strangers to a job: where it listens, and connections that are none of its own.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::testing {

enum class whose { my_own, everybodys };

// The sockets of this network namespace that listen (0A in the kernel's table): this process's, or
// all.
inline std::vector<sockaddr_in> listening_places(whose which) {
  std::set<std::string> mine;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(fd.path(), gone).string();
    if (target.starts_with("socket:[")) mine.insert(target.substr(8, target.size() - 9));
  }
  std::vector<sockaddr_in> places;
  std::ifstream table("/proc/self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream in(line);
    std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
    in >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >>
        inode;
    if (state != "0A" || (which == whose::my_own && mine.count(inode) == 0)) continue;
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = static_cast<in_addr_t>(std::stoul(local.substr(0, 8), nullptr, 16));
    if (at.sin_addr.s_addr == INADDR_ANY) at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoul(local.substr(9), nullptr, 16)));
    places.push_back(at);
  }
  return places;
}

// A stranger who says `words`, as far as they are taken at once, and stays. Nothing when nobody
// answers within a tenth of a second.
inline sessions::socket_fd knock(const sockaddr_in& at, const std::string& words = "") {
  sessions::socket_fd s(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(s.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 &&
      errno != EINPROGRESS)
    return {};
  pollfd connected{s.get(), POLLOUT, 0};
  if (poll(&connected, 1, 100) != 1 || (connected.revents & POLLERR) != 0) return {};
  send(s.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return s;
}

}  // namespace oriel::testing
