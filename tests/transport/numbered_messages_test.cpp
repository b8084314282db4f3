// What is numbered is taken once and in order, whatever the rails lose on the way.
#include "transport/numbered_messages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace oriel::transport {
namespace {

using number = numbered_messages::number;

std::vector<std::byte> message(std::uint32_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::uint32_t value_of(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(NumberedMessages, AreKeptUntilTheyAreAcknowledged) {
  numbered_messages sent;
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(sent.next(), i);
    sent.keep(message(i));
    EXPECT_TRUE(sent.unsent().empty());
  }
  sent.drop_last();
  sent.acknowledge(2);
  sent.acknowledge(1);  // came late
  sent.send_again();
  std::vector<std::uint32_t> again;
  for (; !sent.unsent().empty(); sent.sent_one()) again.push_back(value_of(sent.unsent()));
  EXPECT_EQ(again, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(sent.next(), 4);
  sent.send_again();
  sent.acknowledge(3);  // while it is being sent again
  EXPECT_EQ(value_of(sent.unsent()), 3u);
  sent.forget();
  EXPECT_TRUE(sent.unsent().empty());
}

TEST(NumberedMessages, AreNotKeptWithoutEnd) {
  numbered_messages sent;
  while (!sent.full()) sent.keep(message(0));
  EXPECT_EQ(sent.next(), numbered_messages::most);
  sent.acknowledge(1);
  EXPECT_FALSE(sent.full());
}

TEST(NumberedMessages, ThatCannotHaveBeenSentChangeNothing) {
  numbered_messages both;
  for (std::uint32_t i = 0; i < 5; ++i) both.keep(message(i));
  both.acknowledge(6);
  EXPECT_EQ(both.first_kept(), 0);
  EXPECT_FALSE(both.keeps_before(6));
  EXPECT_TRUE(both.keeps_before(5));
  EXPECT_FALSE(both.keeps_before(0));
  EXPECT_FALSE(both.has_taken(numbered_messages::most - 1));
  EXPECT_TRUE(both.has_taken(numbered_messages::most));
  EXPECT_TRUE(both.has_taken(0xffff));
}

TEST(NumberedMessages, ThatComeEarlyArePutByUntilTheirTurn) {
  numbered_messages taken;
  taken.put_by(2, message(2));
  taken.put_by(1, message(1));
  taken.put_by(1, message(7));  // again
  taken.put_by(4, message(4));
  EXPECT_EQ(taken.expected(), 0);
  EXPECT_FALSE(taken.has_taken(1));
  EXPECT_TRUE(taken.early().empty());
  taken.take();
  std::vector<std::uint32_t> in_order;
  for (; !taken.early().empty(); taken.take()) in_order.push_back(value_of(taken.early()));
  EXPECT_EQ(in_order, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(taken.expected(), 3);
  EXPECT_TRUE(taken.has_taken(2));
  taken.take();
  taken.drop_early();
  EXPECT_TRUE(taken.early().empty());
  EXPECT_FALSE(taken.has_taken(4));
}

// Far more than there are numbers.
TEST(NumberedMessages, AreTakenOnceAndInOrderThoughRailsFail) {
  const auto chosen = testing::seed();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(chosen));
  std::mt19937_64 random(chosen);
  const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
  numbered_messages here, there;
  struct frame {
    number n;
    std::uint32_t value;
  };
  std::deque<frame> rail;
  std::uint32_t next = 0, taken = 0;
  constexpr std::uint32_t all = 300'000;
  while (taken < all) {
    if (const auto again = here.unsent(); !again.empty()) {
      const std::uint32_t value = value_of(again);
      rail.push_back({static_cast<number>(value), value});
      here.sent_one();
    } else if (next < all && !here.full() && !chance(3)) {
      rail.push_back({here.next(), next});
      here.keep(message(next++));
    }
    if (!rail.empty() && !chance(3)) {
      const frame f = rail.front();
      rail.pop_front();
      if (f.n == there.expected()) {
        ASSERT_EQ(f.value, taken);
        there.take();
        ++taken;
        for (; !there.early().empty(); there.take()) ASSERT_EQ(value_of(there.early()), taken++);
      } else if (!there.has_taken(f.n)) {
        there.put_by(f.n, message(f.value));
      }
      if (there.owes_after(1) && !chance(4)) here.acknowledge(there.expected());
    }
    if (chance(5000)) {  // what was on its way is lost, which is reported
      rail.clear();
      here.send_again();
    }
    if (chance(5000)) rail.clear();  // or not, but by what does not come
    if (rail.empty() && here.unsent().empty() && chance(100)) {
      here.acknowledge(there.expected());
      if (here.first_kept() != here.next()) here.send_again();
    }
  }
  EXPECT_EQ(taken, all);
}

}  // namespace
}  // namespace oriel::transport
