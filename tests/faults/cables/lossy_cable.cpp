#include "tests/faults/cables/lossy_cable.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "session/system_failure.hpp"
#include "tests/faults/random/dice.hpp"

namespace oriel::testing {
namespace {

using sessions::socket_fd;
using sessions::system_failure;

constexpr int room_for_frames = 4 << 20;  // what comes in a burst is not lost by chance

// Begins, or ceases, to lose all of a cable's frames, or what the seed says of every cable's.
struct order {
  static constexpr int every_cable = -1;
  int cable;
  bool begins;
};

class copier {
 public:
  copier(std::vector<cable_ends> cables, double loss, std::uint64_t seed)
      : loss_(static_cast<std::uint64_t>(loss * 1e9)) {
    for (cable_ends& ends : cables) {
      const std::uint64_t number = cables_.size();
      cables_.push_back(
          {std::move(ends), {dice{seed, number, 0}, dice{seed, number, 1}}, false, 0, 0});
    }
  }

  // Until the other end of `orders` is closed.
  void run(const socket_fd& orders) {
    std::vector<pollfd> watched{{orders.get(), POLLIN, 0}};
    for (const cable& c : cables_)
      for (const socket_fd& end : c.ends) watched.push_back({end.get(), POLLIN, 0});
    for (;;) {
      if (poll(watched.data(), watched.size(), -1) < 0) continue;
      if (watched[0].revents != 0) {
        order o;
        if (read(orders.get(), &o, sizeof o) != sizeof o) return;
        if (o.cable == order::every_cable)
          loses_ = o.begins;
        else
          cables_[static_cast<std::size_t>(o.cable)].silent = o.begins;
      }
      for (cable& c : cables_)
        for (const std::size_t from : {0, 1}) copy(c, from);
    }
  }

  void report() const {
    for (std::size_t i = 0; i < cables_.size(); ++i)
      std::printf("cable %zu: %ld frames passed, %ld lost\n", i, cables_[i].passed,
                  cables_[i].lost);
    std::fflush(stdout);
  }

 private:
  struct cable {
    cable_ends ends;
    std::array<dice, 2> chance;
    bool silent = false;
    long passed = 0, lost = 0;
  };

  // One direction's turn: a few frames, so that neither starves.
  void copy(cable& c, std::size_t from) {
    for (int i = 0; i < 64; ++i) {
      const ssize_t n = recv(c.ends[from].get(), frame_.data(), frame_.size(), MSG_DONTWAIT);
      if (n < 0) return;
      const bool unlucky = loses_ && c.chance[from].below(1'000'000'000) < loss_;
      if (unlucky || c.silent ||
          send(c.ends[1 - from].get(), frame_.data(), static_cast<std::size_t>(n), 0) != n)
        ++c.lost;
      else
        ++c.passed;
    }
  }

  std::vector<cable> cables_;
  std::uint64_t loss_;
  bool loses_ = false;
  std::array<char, 65536> frame_;
};

}  // namespace

socket_fd open_end(const char* name) {
  socket_fd end(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!end.valid()) system_failure("cannot open a packet socket");
  const int yes = 1;
  sockaddr_ll where{};
  where.sll_family = AF_PACKET;
  where.sll_protocol = htons(ETH_P_ALL);
  where.sll_ifindex = static_cast<int>(if_nametoindex(name));
  // Its own frames, which it sends into the interface, do not come back to it.
  if (setsockopt(end.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes) != 0 ||
      setsockopt(end.get(), SOL_SOCKET, SO_RCVBUF, &room_for_frames, sizeof room_for_frames) != 0 ||
      bind(end.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
    system_failure(std::string("cannot take the frames of ") + name);
  return end;
}

void send_plain_frames(const char* name) {
  const socket_fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (const std::uint32_t what : {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM}) {
    ethtool_value off{what, 0};
    ifreq request{};
    std::strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
    request.ifr_data = reinterpret_cast<char*>(&off);
    if (ioctl(any.get(), SIOCETHTOOL, &request) != 0)
      system_failure(std::string("cannot change how frames leave ") + name);
  }
}

lossy_cables::lossy_cables(std::vector<cable_ends> cables, double loss, std::uint64_t seed) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) system_failure("pipe2");
  socket_fd orders(ends[0]);
  orders_ = socket_fd(ends[1]);
  process_ = fork();
  if (process_ < 0) system_failure("fork");
  if (process_ != 0) return;
  orders_ = socket_fd();
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) signal(s, SIG_IGN);  // it ends by the pipe
  copier work(std::move(cables), loss, seed);
  work.run(orders);
  work.report();
  _exit(0);
}

lossy_cables::~lossy_cables() {
  orders_ = sessions::socket_fd();
  waitpid(process_, nullptr, 0);
}

void lossy_cables::lose(bool some) const {
  send(order::every_cable, some);
}

void lossy_cables::fall_silent(int cable, bool silent) const {
  send(cable, silent);
}

void lossy_cables::send(int cable, bool begins) const {
  const order o{cable, begins};
  if (write(orders_.get(), &o, sizeof o) != sizeof o) system_failure("write");
}

}  // namespace oriel::testing
