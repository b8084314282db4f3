// A lane that a write with completion data has closed, as its writers see it: two ranks on two
// pretended nodes, with lanes beside those of their fabric.
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "transport/lanes.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t job = 0x2071ced;

// A thread whose message had left before the write may get on only after it.
TEST(NotedLane, OpensForAMessageThatIsBehindTheNoteAlone) {
  auto& way = static_cast<libfabric&>(fabric_of(testing::job().state()->job()));
  const int other = 1 - testing::me();
  lanes here(way.port(), job, testing::ranks());
  const std::optional<lane_offer> mine = here.offer(other, true);
  ASSERT_TRUE(mine);
  const auto offers = testing::world().allgather(*mine);
  here.accept(other, offers[static_cast<std::size_t>(other)]);
  message_head head;
  head.job = job;
  head.kind = message_kind::request;
  const auto writes = [&] { return here.write(other, head, {}); };
  EXPECT_FALSE(writes());  // what has been sent before it was there has to be passed first

  here.sent(other, here.next_outside(other), sizeof head);
  EXPECT_TRUE(writes());
  const lanes::outside before = here.next_outside(other);
  here.sent_note(other);
  EXPECT_FALSE(writes());
  here.sent(other, before, sizeof head);
  EXPECT_FALSE(writes());
  here.sent(other, here.next_outside(other), sizeof head);
  EXPECT_TRUE(writes());

  // Until what has been written is there, of which nothing else tells. Messages outside have been
  // pretended, so that lines seem to be behind them.
  for (int n = 0; n < 3; ++n) here.heard({.job = job, .from = other, .number = 0x8000});
  int arrived = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (arrived < 2 && std::chrono::steady_clock::now() < end) {
    if (!way.progress()) std::this_thread::yield();
    arrived += here.look([](const message&) { return true; });
  }
  EXPECT_EQ(arrived, 2);
  ASSERT_TRUE(testing::world().barrier().ok());
}

}  // namespace
}  // namespace oriel::transport
