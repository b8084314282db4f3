// Long messages that a connection takes with it on their way into their receiver's memory. Two
// ranks on two pretended nodes.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/transport/counted_service.hpp"
#include "tests/transport/provider_connections.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_service = 0xb20ce;

int break_connections(const std::vector<std::uint16_t>& listening) {
  int broken = 0;
  for (const int fd : provider_connections(listening)) broken += shutdown(fd, SHUT_RDWR) == 0;
  return broken;
}

// Its turn is taken then, and nothing of that turn comes.
TEST(BrokenLanes, BringALongMessageOfWhichAWriteHasFailed) {
  constexpr std::uint64_t turns = 5;
  auto& way = static_cast<libfabric&>(fabric_of(testing::job().state()->job()));
  const int other = 1 - testing::me();
  counted_service here;
  way.add_service(name_of_service, here);
  const std::vector<std::uint16_t> ports = testing::world().allgather(listening_port(way));
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
