// Where the ranks of a job on one machine can be reached: on the machine alone, even where they
// pretend to be on several nodes.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

std::set<std::string> inodes_of_my_sockets() {
  std::set<std::string> inodes;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    const std::string to = std::filesystem::read_symlink(fd.path(), closed).string();
    if (to.starts_with("socket:[")) inodes.insert(to.substr(8, to.size() - 9));
  }
  return inodes;
}

struct bound_socket {
  std::string address;  // in the kernel's hexadecimal digits
  bool listens = false;
};

// This process's sockets of one protocol, as proc(5) describes /proc/net/tcp.
std::vector<bound_socket> my_sockets(const std::string& protocol) {
  const auto inodes = inodes_of_my_sockets();
  std::vector<bound_socket> found;
  std::ifstream table("/proc/self/net/" + protocol);
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream text(line);
    std::string number, local, remote, state, queues, timer, retransmissions, user, timeout, inode;
    text >> number >> local >> remote >> state >> queues >> timer >> retransmissions >> user >>
        timeout >> inode;
    if (inodes.contains(inode))
      found.push_back({local.substr(0, local.find(':')), state == "0A" || protocol[0] == 'u'});
  }
  return found;
}

bool is_loopback(const std::string& address) {
  return address == "0100007F" || address == "00000000000000000000000001000000" ||
         address == "0000000000000000FFFF00000100007F";
}

TEST(Loopback, IsTheOnlyWayToRanksOfOneMachine) {
  auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(world(), 1);
  ASSERT_TRUE(w.fence().ok());
  ASSERT_TRUE(w.put(world().next(), disp{0}, me()).ok());
  ASSERT_TRUE(w.fence().ok());
  int listening = 0;
  for (const std::string protocol : {"tcp", "tcp6", "udp", "udp6"})
    for (const bound_socket& s : my_sockets(protocol)) {
      EXPECT_TRUE(is_loopback(s.address)) << protocol << " " << s.address;
      listening += s.listens ? 1 : 0;
    }
  // Who watches whether this rank lives, and the fabric.
  if (spans_nodes()) {
    EXPECT_GE(listening, 2);
  }
}

}  // namespace
}  // namespace oriel::testing
