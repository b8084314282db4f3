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

class LosingRails : public ::testing::Test {
 protected:
  void SetUp() override {
    way_.add_service(name_of_service, here_);
    ports_ = world_.allgather(listening_port(way_));
    ASSERT_TRUE(world_.barrier().ok());
  }
  void TearDown() override { way_.remove_service(name_of_service); }
  void tell_the_other() {
    message_head head;
    head.addressee = name_of_service;
    head.carry(told_++);
    ASSERT_EQ(way_.tell(1, head), errc::success);
  }
  void poll_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) way_.progress();
  }
  // What has come by the connections, so many messages at least, is lost with them.
  void lose(std::uint64_t messages) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (bytes_to_read(ports_) < messages * sizeof(message_head)) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "they do not come";
      std::this_thread::yield();
    }
    lose_connections(ports_);
  }
  void expect_all(std::uint64_t messages) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (here_.arrived < messages && std::chrono::steady_clock::now() < end) way_.progress();
    EXPECT_EQ(here_.arrived, messages);
    EXPECT_EQ(here_.wrong, 0u);
  }

  const team world_ = testing::world();
  libfabric& way_ = static_cast<libfabric&>(fabric_of(testing::job().state()->job()));
  counted_service here_;
  std::vector<std::uint16_t> ports_;
  std::uint64_t told_ = 0;
};

// The second half is under way while the first is missing.
TEST_F(LosingRails, SendAgainInOrderWhatAConnectionHasLostWithoutAWord) {
  constexpr std::uint64_t messages = 300;
  if (testing::me() == 0) {
    while (told_ < messages) {
      tell_the_other();
      if (told_ == messages / 2) poll_for(std::chrono::milliseconds(200));
    }
  } else {
    lose(messages / 2);
    expect_all(messages);
  }
  ASSERT_TRUE(world_.barrier().ok());
}

// After messages at leisure, each of which is asked about.
TEST_F(LosingRails, SendAgainWhatIsLostAsTheyClose) {
  constexpr std::uint64_t messages = 300, before = 3;
  if (testing::me() == 0) {
    for (const int pause : {700, 1300, 2500}) {
      tell_the_other();
      poll_for(std::chrono::milliseconds(pause));
    }
    while (told_ < before + messages) tell_the_other();
  } else {
    expect_all(before);
    poll_for(std::chrono::milliseconds(1200));
    lose(messages);
    expect_all(before + messages);
  }
}

}  // namespace
}  // namespace oriel::transport
