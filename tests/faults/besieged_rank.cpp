// A job at whose every listening socket strangers knock while it works: besieged_rank SECONDS.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "session/socket_fd.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

// Where this process listens: its sockets among those that the kernel lists as listening (0A).
std::vector<sockaddr_in> listening_places() {
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
    if (state != "0A" || mine.count(inode) == 0) continue;
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = static_cast<in_addr_t>(std::stoul(local.substr(0, 8), nullptr, 16));
    if (at.sin_addr.s_addr == INADDR_ANY) at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoul(local.substr(9), nullptr, 16)));
    places.push_back(at);
  }
  return places;
}

// One stranger: says something that nobody asked for, and hangs up, or stays.
boot::socket_fd knock(const sockaddr_in& at, std::mt19937& dice) {
  boot::socket_fd s(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(s.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return {};
  std::string words;
  switch (dice() % 4) {
    case 0:
      words = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
      break;
    case 1:
      words = std::string(4096, '\xff');
      break;
    case 2:
      for (int i = 0; i < 300; ++i) words += static_cast<char>(dice());
      break;
    default:
      break;
  }
  send(s.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return s;
}

int run(double seconds) {
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = window<int>::allocate(world, 1000, everything);
  const auto places = listening_places();
  std::atomic<bool> stop{false};
  std::size_t knocks = 0, heard = 0;
  std::thread strangers([&] {
    std::mt19937 dice(static_cast<unsigned>(me));
    std::vector<boot::socket_fd> staying;
    while (!stop) {
      for (const sockaddr_in& at : places) {
        boot::socket_fd s = knock(at, dice);
        ++knocks;
        heard += s.valid() ? 1 : 0;
        if (staying.size() < 50 && dice() % 4 == 0) staying.push_back(std::move(s));
      }
      pause(0.01);
    }
  });
  const std::vector<int> row(1000, me + 1);
  const auto until = steady::now() + std::chrono::duration<double>(seconds);
  bool sound = w.fence().ok();
  int rounds = 0;
  for (bool more = true; sound && more; ++rounds) {
    w.put(world.next(), disp{0}, std::span(row));
    sound = w.fence().ok() && w.get(world.me(), disp{999}) == world.previous().value + 1;
    {
      auto epoch = w.lock_exclusive(world.next());
      sound = sound && w.fetch_add(world.next(), disp{5}, 1) == me + 1 && epoch.end().ok();
    }
    sound = w.fence().ok() && sound;
    more = world.allreduce(steady::now() < until ? 1 : 0, atomic_op::min) == 1;
  }
  stop = true;
  strangers.join();
  say(me, "knocked at " + std::to_string(places.size()) + " places, " + std::to_string(heard) +
              " of " + std::to_string(knocks) + " let in, " + std::to_string(rounds) + " rounds");
  say(me, sound ? "unharmed" : "harmed: " + w.failure());
  return sound ? 0 : 1;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(std::atof(argv[1])); });
}
