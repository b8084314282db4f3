// Two ranks on two pretended nodes with two rails, which are one interface.
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/transport/counted_service.hpp"
#include "tests/transport/provider_connections.hpp"
#include "transport/libfabric.hpp"
#include "transport/numbered_messages.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_service = 0x4a115;

class answering_service final : public service {
 public:
  explicit answering_service(fabric& way) : way_(way) {}
  void serve(const message& m) noexcept override {
    counted.serve(m);
    way_.reply(m.head, errc::success, m.payload);
  }
  counted_service counted;

 private:
  fabric& way_;
};

// What acknowledges passes the answers, which wait for room. Until then neither rank has looked at
// what comes.
TEST(Rails, RanksWithAsManyMessagesUnacknowledgedAsMayBeAnswerEachOther) {
  constexpr std::uint64_t requests = 100, messages = numbered_messages::most + 1000;
  const team world = testing::world();
  fabric& way = fabric_of(testing::job().state()->job());
  ASSERT_NE(way.interfaces(), "") << "there is one rail";
  const int other = 1 - testing::me();
  answering_service here(way);
  way.add_service(name_of_service, here);
  ASSERT_TRUE(world.barrier().ok());
  pending_ops asked;
  for (std::uint64_t turn = 0; turn < messages; ++turn) {
    message_head head;
    head.addressee = name_of_service;
    head.carry(turn);
    const errc e =
        turn < requests ? way.request(other, head, {}, nullptr, 0, asked) : way.tell(other, head);
    ASSERT_EQ(e, errc::success) << "message " << turn;
  }
  EXPECT_EQ(way.wait(asked, other, world.state()->watch()), errc::success);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (here.counted.arrived < messages && std::chrono::steady_clock::now() < until)
    way.progress();
  EXPECT_EQ(here.counted.arrived, messages);
  EXPECT_EQ(here.counted.wrong, 0u);
  ASSERT_TRUE(world.barrier().ok());
  way.remove_service(name_of_service);
}

// As a reset does: what has come and has not been read is lost, and its sender, which had seen it
// leave, is told nothing.
void lose_connections(const std::vector<std::uint16_t>& listening) {
  std::array<std::byte, 4096> lost;
  for (const int fd : provider_connections(listening)) {
    while (recv(fd, lost.data(), lost.size(), MSG_DONTWAIT) > 0) continue;
    EXPECT_EQ(shutdown(fd, SHUT_RDWR), 0);
  }
}

std::size_t bytes_to_read(const std::vector<std::uint16_t>& listening) {
  const std::vector<int> connections = provider_connections(listening);
  return std::accumulate(connections.begin(), connections.end(), std::size_t{0},
                         [](std::size_t sum, int fd) {
                           int bytes = 0;
                           ioctl(fd, FIONREAD, &bytes);
                           return sum + static_cast<std::size_t>(bytes);
                         });
}

TEST(Rails, SendAgainInOrderWhatAConnectionHasLostWithoutAWord) {
  constexpr std::uint64_t messages = 300;
  const team world = testing::world();
  auto& way = static_cast<libfabric&>(fabric_of(testing::job().state()->job()));
  counted_service here;
  way.add_service(name_of_service, here);
  const std::vector<std::uint16_t> ports = world.allgather(listening_port(way));
  ASSERT_TRUE(world.barrier().ok());
  const auto until = [](const auto& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return done();
  };
  if (testing::me() == 0) {
    for (std::uint64_t turn = 0; turn < messages; ++turn) {
      message_head head;
      head.addressee = name_of_service;
      head.carry(turn);
      ASSERT_EQ(way.tell(1, head), errc::success);
    }
  } else {
    ASSERT_TRUE(until([&] { return bytes_to_read(ports) >= messages * sizeof(message_head); }));
    lose_connections(ports);
    until([&] { return way.progress(), here.arrived >= messages; });
    EXPECT_EQ(here.arrived, messages);
    EXPECT_EQ(here.wrong, 0u);
  }
  ASSERT_TRUE(world.barrier().ok());
  way.remove_service(name_of_service);
}

}  // namespace
}  // namespace oriel::transport
