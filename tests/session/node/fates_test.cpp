// Facts about ranks only grow, and what waits end by is counted.
#include "session/node/fates.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace oriel::sessions {
namespace {

TEST(Fates, NobodyComesBack) {
  fates known(3);
  EXPECT_TRUE(known.alive(1));
  EXPECT_TRUE(known.note(1, fate::silent));
  EXPECT_FALSE(known.alive(1));
  for (const fate f : {fate::here, fate::leaving, fate::left, fate::silent, fate::estranged})
    EXPECT_FALSE(known.note(1, f));
  EXPECT_TRUE(known.note(1, fate::ended)) << "certainty replaces silence";
  EXPECT_FALSE(known.note(1, fate::ended));
  EXPECT_EQ(known.of(1), fate::ended);
}

TEST(Fates, CountEachLossOnce) {
  fates known(4);
  EXPECT_EQ(known.losses(), 0u);
  known.note(2, fate::leaving);
  EXPECT_EQ(known.losses(), 0u) << "its grace is not over";
  EXPECT_TRUE(known.alive(2));
  known.note(2, fate::left);
  known.note(0, fate::silent);
  known.note(0, fate::ended);
  ASSERT_EQ(known.losses(), 2u);
  EXPECT_EQ(known.lost(0), 2);
  EXPECT_EQ(known.lost(1), 0);
}

TEST(Fates, EstrangementIsFromAllWhoAreLeft) {
  fates known(4);
  known.note(2, fate::ended);
  known.note(3, fate::leaving);
  EXPECT_FALSE(known.estranged());
  known.estrange_from_all_but(1);
  EXPECT_TRUE(known.estranged());
  EXPECT_TRUE(known.alive(1));
  EXPECT_EQ(known.of(0), fate::estranged);
  EXPECT_EQ(known.of(2), fate::ended);
  EXPECT_EQ(known.of(3), fate::estranged);
  EXPECT_EQ(known.losses(), 3u);
}

TEST(Fates, HaveWordsOfTheirOwn) {
  std::set<std::string> words;
  for (const fate f : {fate::here, fate::left, fate::silent, fate::ended, fate::estranged})
    words.insert(in_words(f, std::chrono::seconds(6)));
  EXPECT_EQ(words.size(), 5u);
  EXPECT_EQ(in_words(fate::silent, std::chrono::seconds(20)), "was not reached for 20 s");
}

}  // namespace
}  // namespace oriel::sessions
