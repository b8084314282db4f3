// When owners are asked for what the kernel would copy.
#include "win/route/prompt_owners.hpp"

#include <gtest/gtest.h>

namespace oriel::win {
namespace {

using namespace std::chrono_literals;

constexpr auto slow_kernel = 2000ns;

// How many of `transfers` go by mail, each of which takes `answer`.
int asked(prompt_owners& all, std::size_t owner, int transfers, std::chrono::nanoseconds answer) {
  int by_mail = 0;
  for (int i = 0; i < transfers; ++i)
    if (all.worth_asking(owner)) {
      ++by_mail;
      all.note(owner, answer);
    }
  return by_mail;
}

TEST(PromptOwners, AreNotAskedWhereTheKernelIsQuick) {
  prompt_owners all(2, 450ns);
  EXPECT_FALSE(all.kernel_is_slow());
  EXPECT_EQ(asked(all, 1, 1000, 1ns), 0);
}

TEST(PromptOwners, AreAskedWhereTheyAreQuicker) {
  prompt_owners all(2, slow_kernel);
  EXPECT_TRUE(all.kernel_is_slow());
  EXPECT_GT(asked(all, 1, 1000, 900ns), 980);
}

TEST(PromptOwners, ThatAreAbsentTakeAThirtySecondOfTheTime) {
  prompt_owners all(2, slow_kernel);
  asked(all, 0, 100000, 60us);  // what it takes to learn that
  constexpr int transfers = 1000000;
  const auto by_mail = static_cast<double>(asked(all, 0, transfers, 60us));
  const double lost = by_mail * 60000, all_time = transfers * 2000.0;
  EXPECT_LT(lost, all_time / 30);
  EXPECT_GT(by_mail, 100);  // it may come back
}

TEST(PromptOwners, AreAskedAgainSoonAfterOneDelay) {
  prompt_owners all(1, slow_kernel);
  asked(all, 0, 100, 900ns);
  all.note(0, 20ms);
  EXPECT_GT(asked(all, 0, 100, 900ns), 80);
}

// An owner that has not been asked for a while looks less often.
TEST(PromptOwners, AreJudgedBySeveralAnswers) {
  prompt_owners all(1, slow_kernel);
  bool before = false;
  int by_mail = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool asks = all.worth_asking(0);
    if (asks) {
      ++by_mail;
      all.note(0, before && i % 100 != 0 ? 900ns : 10us);
    }
    before = asks;
  }
  EXPECT_GT(by_mail, 900);
}

TEST(PromptOwners, AreKnownOneByOne) {
  prompt_owners all(2, slow_kernel);
  asked(all, 0, 100000, 1ms);
  EXPECT_GT(asked(all, 1, 1000, 900ns), 980);
}

}  // namespace
}  // namespace oriel::win
