// A node's board takes one answer a turn, and none of a coordinator that the node has given up,
// whoever of it writes, and in whatever order. models/shrink.pml searches all orders of the steps.
#include "session/team/shrink_board.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "tests/sync/processes.hpp"

namespace oriel::sessions {
namespace {

using std::chrono::milliseconds;
using testing::told_watch;

constexpr int on_node = 3, ranks = 40;

class ShrinkBoard : public ::testing::Test {
 protected:
  errc take(const shrink_answer& given, int coordinator, std::uint32_t turn, int me) {
    const told_watch watch(nullptr, true, milliseconds(20));
    return board_.take(given, coordinator, turn, me, watch, [](int) { return true; });
  }
  static shrink_answer all_but(int r) {
    shrink_answer a{verdict::agreed, std::vector<bool>(ranks, true)};
    a.living[static_cast<std::size_t>(r)] = false;
    return a;
  }

 private:
  alignas(64) std::array<std::byte, 256> bytes_{};

 protected:
  shrink_board board_{bytes_.data(), on_node, ranks};
};

TEST_F(ShrinkBoard, KeepsTheFirstAnswer) {
  ASSERT_LE(shrink_board::bytes(on_node, ranks), std::size_t{256});
  EXPECT_FALSE(board_.has_answer(1));
  EXPECT_EQ(take(all_but(35), 2, 1, 0), errc::success);
  EXPECT_TRUE(board_.has_answer(1));
  EXPECT_EQ(take(all_but(4), 3, 1, 1), errc::success);
  ASSERT_TRUE(board_.answer(1).has_value());
  EXPECT_EQ(board_.answer(1)->living, all_but(35).living);
  EXPECT_EQ(board_.answer(1)->found, verdict::agreed);
}

TEST_F(ShrinkBoard, TakesNoAnswerOfACoordinatorThatWasGivenUp) {
  EXPECT_TRUE(board_.give_up_before(3, 1));
  EXPECT_TRUE(board_.give_up_before(1, 1));  // long ago
  EXPECT_EQ(board_.first_coordinator(1), 3);
  EXPECT_EQ(take(all_but(0), 2, 1, 0), errc::peer_failed);
  EXPECT_FALSE(board_.has_answer(1));
  // Whoever has tried to keeps nobody else from it.
  EXPECT_EQ(take(all_but(1), 3, 1, 1), errc::success);
  EXPECT_EQ(board_.answer(1)->living, all_but(1).living);
}

TEST_F(ShrinkBoard, GivesNobodyUpOnceItHasAnAnswer) {
  EXPECT_EQ(take({verdict::unready, {}}, 2, 1, 0), errc::success);
  EXPECT_FALSE(board_.give_up_before(3, 1));
  EXPECT_TRUE(board_.has_answer(1));
  EXPECT_EQ(board_.answer(1)->found, verdict::unready);
}

TEST_F(ShrinkBoard, BeginsAnewWithEachTurn) {
  EXPECT_EQ(take(all_but(7), 5, 1, 0), errc::success);
  EXPECT_FALSE(board_.has_answer(2));
  EXPECT_EQ(board_.first_coordinator(2), 0);
  EXPECT_EQ(board_.answer(1)->living, all_but(7).living);
  EXPECT_TRUE(board_.give_up_before(0, 2));
  EXPECT_TRUE(board_.has_answer(1));
  EXPECT_FALSE(board_.answer(1).has_value());  // it may be overwritten
  EXPECT_EQ(take(all_but(8), 0, 2, 2), errc::success);
  EXPECT_EQ(board_.answer(2)->living, all_but(8).living);
  EXPECT_EQ(take(all_but(9), 9, 1, 2), errc::success);
  EXPECT_EQ(board_.answer(2)->living, all_but(8).living);
}

TEST_F(ShrinkBoard, KnowsWhoHasSignedIn) {
  board_.sign_in(1, 1, true);
  board_.sign_in(2, 1, false);
  EXPECT_FALSE(board_.has_signed_in(0, 1));
  EXPECT_TRUE(board_.has_signed_in(1, 1));
  EXPECT_FALSE(board_.has_signed_in(1, 2));
  EXPECT_TRUE(board_.is_ready(1));
  EXPECT_FALSE(board_.is_ready(2));
}

}  // namespace
}  // namespace oriel::sessions
