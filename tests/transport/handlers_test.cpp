// What runs when something has arrived: a service may wait for a moment, and must come back neither
// to the fabric's progress nor to an embedding program's. Four ranks on two pretended nodes.
#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "sync/limited_watch.hpp"
#include "tests/support/job.hpp"
#include "transport/fabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_service = 0x5e121ce;

class tried_service final : public service {
 public:
  explicit tried_service(fabric& way) : way_(way) {}
  void serve(const message& m) noexcept override {
    embedded = sync::while_waiting() != nullptr;
    came_back = way_.progress();
    way_.reply(m.head, errc::success, {});
    ++served;
  }
  std::atomic<int> served{0};
  std::atomic<bool> embedded{false}, came_back{false};

 private:
  fabric& way_;
};

TEST(Handlers, ComeBackNeitherToTheFabricNorToAnEmbeddingProgram) {
  fabric& way = fabric_of(testing::job().state()->job());
  tried_service here(way);
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const sync::working_while_waiting as_in_a_call([]() noexcept {});
  const int last = testing::ranks() - 1;
  const team world = testing::world();
  if (testing::me() == 0) {
    message_head head;
    head.addressee = name_of_service;
    pending_ops asked;
    EXPECT_EQ(way.request(last, head, {}, nullptr, 0, asked), errc::success);
    EXPECT_EQ(way.wait(asked, last, world.state()->watch()), errc::success);
  } else if (testing::me() == last) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (here.served == 0 && std::chrono::steady_clock::now() < until) way.progress();
    EXPECT_EQ(here.served, 1);
    EXPECT_FALSE(here.embedded);
    EXPECT_FALSE(here.came_back);
  }
  ASSERT_TRUE(world.barrier().ok());
  way.remove_service(name_of_service);
}

// Notes whether messages arrive whole, and those that promise it in the order in which they were
// sent.
class counted_service final : public service {
 public:
  static std::byte value(std::uint64_t turn, std::size_t i) noexcept {
    return static_cast<std::byte>(turn * 31 + i * 7 + i / 251);
  }
  void serve(const message& m) noexcept override {
    const auto turn = m.head.carried<std::uint64_t>();
    if (m.payload.size() <= longest_payload) {
      if (turn < next) ++out_of_order;
      next = turn + 1;
    }
    for (std::size_t i = 0; i < m.payload.size(); ++i)
      if (m.payload[i] != value(turn, i)) {
        ++torn;
        break;
      }
    ++arrived;
  }
  std::atomic<std::uint64_t> arrived{0}, out_of_order{0}, torn{0};

 private:
  std::uint64_t next = 0;
};

// Short ones, those that a provider cuts into segments, and the longest that there are, both ways
// at once.
TEST(Handlers, GetMessagesOfEveryLengthWholeAndThoseThatAreOrderedInOrder) {
  constexpr std::uint64_t messages = 3000;
  fabric& way = fabric_of(testing::job().state()->job());
  counted_service here;
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const int p = testing::ranks(), other = (testing::me() + p / 2) % p;
  std::vector<std::byte> bytes(longest_unordered_payload);
  const std::array<std::size_t, 7> lengths{
      0, 64, 4000, longest_payload, longest_payload + 1, 40000, longest_unordered_payload};
  for (std::uint64_t turn = 0; turn < messages; ++turn) {
    const std::size_t n = lengths[(turn * turn + turn / 7) % lengths.size()];
    for (std::size_t i = 0; i < n; ++i) bytes[i] = counted_service::value(turn, i);
    message_head head;
    head.addressee = name_of_service;
    head.carry(turn);
    ASSERT_EQ(way.tell(other, head, std::span(bytes).first(n)), errc::success);
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (here.arrived < messages && std::chrono::steady_clock::now() < until) way.progress();
  EXPECT_EQ(here.arrived, messages);
  EXPECT_EQ(here.out_of_order, 0u);
  EXPECT_EQ(here.torn, 0u);
  ASSERT_TRUE(testing::world().barrier().ok());
  way.remove_service(name_of_service);
}

// Answers the messages of one rank.
class answering_service final : public service {
 public:
  answering_service(fabric& way, int asker) : way_(way), asker_(asker) {}
  void serve(const message& m) noexcept override {
    ++served;
    if (m.head.carried<int>() == asker_) static_cast<void>(way_.tell(asker_, said_by(-1), {}));
  }
  static message_head said_by(int rank) noexcept {
    message_head head;
    head.addressee = name_of_service;
    head.carry(rank);
    return head;
  }
  std::atomic<int> served{0};

 private:
  fabric& way_;
  int asker_;
};

TEST(Handlers, GetWhatHasArrivedBeforeAWaitGivesUp) {
  fabric& way = fabric_of(testing::job().state()->job());
  const int last = testing::ranks() - 1;
  answering_service here(way, last);
  way.add_service(name_of_service, here);
  const team world = testing::world();
  ASSERT_TRUE(world.barrier().ok());
  if (testing::me() == last) {
    // A rank has gone, and has told this one something before, while it stood still.
    const sync::conditional_watch watch(world.state()->watch(), [&] {
      EXPECT_EQ(way.tell(0, answering_service::said_by(last), {}), errc::success);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return true;
    });
    EXPECT_EQ(way.wait_for([&] { return here.served > 0; }, watch), errc::success);
  } else if (testing::me() == 0) {
    EXPECT_EQ(way.wait_for([&] { return here.served > 0; }, world.state()->watch()), errc::success);
  }
  ASSERT_TRUE(world.barrier().ok());
  way.remove_service(name_of_service);
}

}  // namespace
}  // namespace oriel::transport
