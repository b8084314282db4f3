// Letters that go by a barrier: each is seen once, by an arrival, whatever follows.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "sync/barrier.hpp"

namespace oriel::sync {
namespace {

class nobody final : public peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return false; }
};

struct alone {
  nobody watch;
  alignas(128) std::array<std::byte, node_barrier::bytes(1)> block{};
  node_barrier barrier{block.data(), 0, 1, watch};

  int seen() {
    int n = 0;
    barrier.for_each_letter([&n](const letter&) { ++n; });
    return n;
  }
  void leave() {
    letter l;
    l.bytes = 8;
    barrier.enclose(l);
  }
};

TEST(Letters, AreSeenOnce) {
  alone a;
  EXPECT_EQ(a.seen(), 0);
  a.leave();
  EXPECT_EQ(a.seen(), 0) << "it has not gone";
  ASSERT_EQ(a.barrier.arrive_and_wait(), errc::success);
  EXPECT_EQ(a.seen(), 1);
  EXPECT_EQ(a.seen(), 0);
  ASSERT_EQ(a.barrier.arrive_and_wait(), errc::success);
  EXPECT_EQ(a.seen(), 0);
  a.leave();
  ASSERT_EQ(a.barrier.arrive_and_wait(), errc::success);
  a.leave();
  EXPECT_EQ(a.seen(), 1) << "the next one is another";
}

// As when turns begin again.
TEST(Letters, AreNotThereForALaterArrivalOfTheSameTurn) {
  alone a;
  a.leave();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(a.barrier.arrive_and_wait(), errc::success);
  node_barrier again(a.block.data(), 0, 1, a.watch);
  ASSERT_EQ(again.arrive_and_wait(), errc::success);
  again.for_each_letter([](const letter&) { ADD_FAILURE() << "of the first turn"; });
}

// A rank may write one and arrive too late, or never.
TEST(Letters, OfARankThatHasNotArrivedStayClosed) {
  struct impatient final : peer_watch {
    [[nodiscard]] bool any_failed() const noexcept override { return false; }
    [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
      return std::chrono::milliseconds(10);
    }
  } watch;
  alignas(128) std::array<std::byte, node_barrier::bytes(2)> block{};
  node_barrier mine(block.data(), 0, 2, watch), late(block.data(), 1, 2, watch);
  int seen = 0;
  const auto count = [&seen](const letter& l) { seen += l.bytes; };
  letter l;
  l.bytes = 8;
  late.enclose(l);
  EXPECT_EQ(mine.arrive_and_wait(), errc::timed_out);
  mine.for_each_letter(count);
  EXPECT_EQ(seen, 0);
  ASSERT_EQ(late.arrive_and_wait(), errc::success);
  mine.for_each_letter(count);
  EXPECT_EQ(seen, 8);
}

}  // namespace
}  // namespace oriel::sync
