// Long messages that a connection takes with it on their way into their receiver's memory. Two
// ranks on two pretended nodes.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/transport/counted_service.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_service = 0xb20ce;

std::uint16_t port_of(const sockaddr_storage& a) {
  return reinterpret_cast<const sockaddr_in&>(a).sin_port;
}

// Those of the provider alone: between its listening sockets and others.
int break_connections(const std::vector<std::uint16_t>& listening) {
  int broken = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_storage here{}, there{};
    socklen_t length = sizeof here, length_there = sizeof there;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&here), &length) != 0 ||
        getpeername(fd, reinterpret_cast<sockaddr*>(&there), &length_there) != 0 ||
        here.ss_family != AF_INET)
      continue;
    const auto listens = [&](const sockaddr_storage& a) {
      return std::find(listening.begin(), listening.end(), port_of(a)) != listening.end();
    };
    if (listens(here) || listens(there)) broken += shutdown(fd, SHUT_RDWR) == 0;
  }
  return broken;
}

// Its turn is taken then, and nothing of that turn comes.
TEST(BrokenLanes, BringALongMessageOfWhichAWriteHasFailed) {
  constexpr std::uint64_t turns = 5;
  auto& way = static_cast<libfabric&>(fabric_of(testing::job().state()->job()));
  const int other = 1 - testing::me();
  counted_service here;
  way.add_service(name_of_service, here);
  sockaddr_storage listening{};
  const std::string address = way.port().address();
  std::copy_n(address.data(), std::min(address.size(), sizeof listening),
              reinterpret_cast<char*>(&listening));
  const std::vector<std::uint16_t> ports = testing::world().allgather(port_of(listening));
  const auto until = [&](const auto& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < end)
      if (!way.progress()) std::this_thread::yield();
    return done();
  };
  const bool sends = testing::me() == 0;
  // Until there are lanes.
  until([&] { return way.answers_sooner(other, 8); });
  ASSERT_TRUE(testing::world().barrier().ok());
  std::vector<std::byte> bytes(longest_unordered_payload);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t written = way.written_messages();
    if (sends) {
      std::fill(bytes.begin(), bytes.end(), static_cast<std::byte>(turn));
      message_head head;
      head.addressee = name_of_service;
      head.carry(turn);
      ASSERT_GE(break_connections(ports), 1);
      ASSERT_EQ(way.tell(other, head, bytes), errc::success);
      EXPECT_GT(way.written_messages(), written);
      // It fails, and is written again.
      until([&] { return way.written_messages() > written + 1; });
      EXPECT_GT(way.written_messages(), written + 1);
    } else {
      ASSERT_TRUE(until([&] { return here.arrived > turn; }));
    }
    ASSERT_TRUE(testing::world().barrier().ok());
  }
  EXPECT_EQ(here.arrived, sends ? 0 : turns);
  EXPECT_EQ(here.wrong, 0u);
  way.remove_service(name_of_service);
}

}  // namespace
}  // namespace oriel::transport
