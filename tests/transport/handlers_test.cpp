// What runs when something has arrived: a service may wait for a moment, and must come back neither
// to the fabric's progress nor to an embedding program's. Four ranks on two pretended nodes.
#include <atomic>
#include <chrono>
#include <thread>

#include "session/team/team_state.hpp"
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

}  // namespace
}  // namespace oriel::transport
