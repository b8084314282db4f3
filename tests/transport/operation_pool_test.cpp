// Slots of operations under way: each is given to one operation at a time, whatever becomes of the
// rank that it is for.
#include "transport/operation_pool.hpp"

#include <gtest/gtest.h>

#include <array>

namespace oriel::transport {
namespace {

constexpr int dying = 1;
constexpr int living = 2;

TEST(OperationPool, DroppingWhatADeathHasGivenUpFreesNothingTwice) {
  operation_pool pool;
  pending_ops ops;
  // While the request is being posted its target is found dead, which ends all that it owes.
  const auto lost = pool.take_request(dying, &ops, nullptr, {});
  pool.give_up(dying, errc::peer_failed);
  EXPECT_TRUE(ops.idle());
  pool.drop(lost);
  const auto first = pool.take_request(living, &ops, nullptr, {});
  const auto second = pool.take_request(living, &ops, nullptr, {});
  EXPECT_NE(first.cookie, second.cookie);
  EXPECT_EQ(ops.take_failure(), errc::peer_failed);
  EXPECT_TRUE(pool.answer(first.cookie, living, nullptr, 0, errc::success));
  EXPECT_FALSE(ops.idle()) << "the second request is not answered yet";
  EXPECT_TRUE(pool.answer(second.cookie, living, nullptr, 0, errc::success));
  EXPECT_TRUE(ops.idle());
  EXPECT_EQ(pool.requests(), 0u);
}

TEST(OperationPool, DroppingWhatWasGivenUpLeavesItsSuccessorAlone) {
  operation_pool pool;
  pending_ops lost_ops, ops;
  const auto lost = pool.take_request(dying, &lost_ops, nullptr, {});
  pool.give_up(dying, errc::peer_failed);
  const auto next = pool.take_request(living, &ops, nullptr, {});  // in the same slot
  pool.drop(lost);
  EXPECT_FALSE(ops.idle());
  std::uint64_t result = 0;
  const std::uint64_t sent = 7;
  EXPECT_FALSE(pool.answer(lost.cookie, dying, &sent, sizeof sent, errc::success));
  EXPECT_EQ(result, 0u);
  EXPECT_TRUE(pool.answer(next.cookie, living, &sent, sizeof sent, errc::success));
  EXPECT_TRUE(ops.idle());
}

TEST(OperationPool, AnAnswerGoesWhereItsRequestSaid) {
  operation_pool pool;
  pending_ops ops;
  std::array<std::uint32_t, 2> result{};
  const auto asked =
      pool.take_request(living, &ops, nullptr, std::as_writable_bytes(std::span(result)));
  const std::array<std::uint32_t, 3> sent{4, 5, 6};  // longer than what is awaited
  EXPECT_FALSE(pool.answer(asked.cookie, dying, sent.data(), sizeof sent, errc::success));
  EXPECT_TRUE(pool.answer(asked.cookie, living, sent.data(), sizeof sent, errc::success));
  EXPECT_EQ(result, (std::array<std::uint32_t, 2>{4, 5}));
}

TEST(OperationPool, ASinkTakesItsAnswerOnceAndEndsWithItsRequest) {
  struct counting final : answer_sink {
    int& taken;
    int& ended;
    counting(int& t, int& e) : taken(t), ended(e) {}
    ~counting() override { ++ended; }
    void take(std::span<const std::byte> answer) noexcept override {
      taken += static_cast<int>(answer.size());
    }
  };
  operation_pool pool;
  pending_ops ops;
  int taken = 0, ended = 0;
  const auto take = [&](int target) {
    return pool.take_request(target, &ops, nullptr, {}, std::make_unique<counting>(taken, ended));
  };
  const std::uint32_t sent = 9;
  const auto answered = take(living), refused = take(living), lost = take(dying);
  EXPECT_TRUE(pool.answer(answered.cookie, living, &sent, sizeof sent, errc::success));
  EXPECT_FALSE(pool.answer(answered.cookie, living, &sent, sizeof sent, errc::success));
  EXPECT_TRUE(pool.answer(refused.cookie, living, &sent, sizeof sent, errc::rma_range));
  pool.give_up(dying, errc::peer_failed);
  EXPECT_FALSE(pool.answer(lost.cookie, dying, &sent, sizeof sent, errc::success));
  EXPECT_EQ(taken, 4);
  EXPECT_EQ(ended, 3);
  EXPECT_TRUE(ops.idle());
}

TEST(OperationPool, ATransferThatIsGivenUpKeepsItsSlotUntilTheProviderIsDone) {
  operation_pool pool;
  pending_ops ops;
  operation* const begun = pool.take_transfer(dying, &ops, nullptr);
  pool.give_up(dying, errc::peer_failed);
  EXPECT_TRUE(ops.idle());
  EXPECT_EQ(pool.transfers(), 0u);
  operation* const other = pool.take_transfer(living, &ops, nullptr);
  EXPECT_NE(begun, other);
  pool.finish(*begun, errc::success);
  EXPECT_FALSE(ops.idle());
  pool.finish(*other, errc::success);
  EXPECT_TRUE(ops.idle());
}

TEST(OperationPool, KnowsOfTransfersThatWereGivenUp) {
  operation_pool pool;
  pending_ops ops;
  EXPECT_NE(pool.take_request(1, &ops, nullptr, {}).cookie, 0u);
  EXPECT_FALSE(pool.any_transfer());
  operation* const op = pool.take_transfer(1, &ops, nullptr);
  ASSERT_NE(op, nullptr);
  pool.give_up(1, errc::peer_failed);
  EXPECT_EQ(pool.transfers(), 0u);
  EXPECT_TRUE(pool.any_transfer());
  pool.finish(*op, errc::peer_failed);
  EXPECT_FALSE(pool.any_transfer());
}

}  // namespace
}  // namespace oriel::transport
