// Two ranks on two pretended nodes with two rails, which are one interface.
#include <chrono>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/transport/counted_service.hpp"
#include "transport/fabric.hpp"
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

}  // namespace
}  // namespace oriel::transport
