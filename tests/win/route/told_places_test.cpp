// What an origin remembers of what a rank of another node has attached.
#include "win/route/told_places.hpp"

#include <gtest/gtest.h>

namespace oriel::win {
namespace {

using known = told_places::known;

constexpr told_place buffer(std::uint64_t first, std::uint64_t bytes,
                            std::uint64_t registered = 1) {
  return {first, bytes, {first + 1000, 0}, registered};
}

TEST(ToldPlaces, HoldWhatLiesInOneOfThem) {
  told_places told;
  told.remember(buffer(100, 50), 0);
  told.remember(buffer(150, 50), 0);
  told.remember(buffer(300, 50, 0), 0);
  told_place found;
  EXPECT_EQ(told.find(99, 1, found), known::nothing);
  EXPECT_EQ(told.find(100, 50, found), known::reached_remotely);
  EXPECT_EQ(found.first, 100u);
  EXPECT_EQ(told.find(150, 1, found), known::reached_remotely);
  EXPECT_EQ(found.ticket.key, 1150u);
  EXPECT_EQ(told.find(149, 2, found), known::nothing);
  EXPECT_EQ(told.find(199, 2, found), known::nothing);
  EXPECT_EQ(told.find(160, ~std::uint64_t{0}, found), known::nothing);
  EXPECT_EQ(told.find(310, 8, found), known::reached_by_owner);
}

TEST(ToldPlaces, FindNoneWhileOneIsBeingForgotten) {
  told_places told;
  told.remember(buffer(100, 50), 0);
  told.remember(buffer(200, 50), 0);
  told_place found;
  told.forget(100);
  EXPECT_EQ(told.find(200, 1, found), known::reached_by_owner);
  told.end_forgetting();
  EXPECT_EQ(told.find(100, 1, found), known::nothing);
  EXPECT_EQ(told.find(200, 1, found), known::reached_remotely);
}

// The owner may have detached it between its answer and now.
TEST(ToldPlaces, DoNotKeepAnAnswerFromBeforeOneWasForgotten) {
  told_places told;
  const std::uint64_t before = told.forgotten();
  told.forget(100);
  told.end_forgetting();
  told.remember(buffer(100, 50), before);
  told_place found;
  EXPECT_EQ(told.find(100, 1, found), known::nothing);
  told.remember(buffer(100, 50), told.forgotten());
  EXPECT_EQ(told.find(100, 1, found), known::reached_remotely);
}

}  // namespace
}  // namespace oriel::win
