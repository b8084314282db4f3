// When owners are asked for what the kernel would copy.
#include "win/route/prompt_owners.hpp"

#include <gtest/gtest.h>

namespace oriel::win {
namespace {

using namespace std::chrono_literals;

const kernel_copy_time slow_kernel{2000ns, 20ns};
constexpr std::size_t a_few = 8, many = 16384;  // bytes

// How many of `transfers` go by mail, each of which takes `answer`.
int asked(prompt_owners& all, std::size_t owner, int transfers, std::chrono::nanoseconds answer,
          std::size_t bytes = a_few) {
  int by_mail = 0;
  for (int i = 0; i < transfers; ++i)
    if (all.worth_asking(owner, bytes)) {
      ++by_mail;
      all.note(owner, bytes, answer);
    }
  return by_mail;
}

TEST(PromptOwners, AreNotAskedWhereTheKernelIsQuick) {
  prompt_owners all(2, {200ns, 20ns});
  EXPECT_EQ(asked(all, 1, 1000, 1ns), 0);
}

TEST(PromptOwners, AreAskedWhereTheyAreQuicker) {
  prompt_owners all(2, slow_kernel);
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

// An owner that has not been asked for a while looks less often.
TEST(PromptOwners, AreJudgedBySeveralAnswers) {
  prompt_owners all(1, slow_kernel);
  bool before = false;
  int by_mail = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool asks = all.worth_asking(0, a_few);
    if (asks) {
      ++by_mail;
      all.note(0, a_few, before && i % 100 != 0 ? 900ns : 10us);
    }
    before = asks;
  }
  EXPECT_GT(by_mail, 900);
}

// 16 KiB take the kernel 2320 ns here.
TEST(PromptOwners, AreJudgedByLengthApart) {
  prompt_owners all(1, slow_kernel);
  EXPECT_GT(asked(all, 0, 1000, 2300ns, many), 980);
  EXPECT_LT(asked(all, 0, 10000, 2400ns, many), 1000);
  EXPECT_GT(asked(all, 0, 1000, 900ns, a_few), 980);
  EXPECT_EQ(asked(all, 0, 1000, 1ns, prompt_owners::longest + 1), 0);
}

// One that was interrupted says nothing about the others.
TEST(PromptOwners, AreAskedOnAfterOneDelay) {
  prompt_owners all(1, slow_kernel);
  asked(all, 0, 100, 900ns);
  all.note(0, a_few, 20ms);
  EXPECT_EQ(asked(all, 0, 100, 900ns), 100);
}

// Each mail counts by what the kernel takes for as many bytes.
TEST(PromptOwners, AreJudgedByLengthsThatMix) {
  prompt_owners all(1, {400ns, 60ns});
  int by_mail = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool long_one = i % 2 == 0;
    const std::size_t bytes = long_one ? 65536 : 40960;
    if (!all.worth_asking(0, bytes)) continue;
    ++by_mail;
    all.note(0, bytes, long_one ? 28us : 1400ns, long_one ? 16 : 1);  // half of what it takes
  }
  EXPECT_GT(by_mail, 900);
}

// Both change while a program runs.
TEST(PromptOwners, AreLeftWhenTheKernelIsQuicker) {
  prompt_owners all(1, {1ms, 0ns});
  const auto at_once = []() noexcept { return errc::success; };
  int by_mail = 0;
  for (int i = 0; i < 20000; ++i)
    if (all.worth_asking(0, a_few)) {
      ++by_mail;
      all.note(0, a_few, 100us);
    } else {
      EXPECT_EQ(all.copy(0, a_few, at_once), errc::success);
    }
  EXPECT_GT(by_mail, 0);
  EXPECT_LT(by_mail, 2000);
}

// The kernel was measured on this process's own memory.
TEST(PromptOwners, AreJudgedByWhatTheKernelTakesForTheirMemory) {
  const auto slowly = []() noexcept {
    const auto until = std::chrono::steady_clock::now() + 200us;
    while (std::chrono::steady_clock::now() < until) {
    }
    return errc::success;
  };
  prompt_owners all(2, {100us, 0ns});
  while (!all.worth_asking(0, a_few)) EXPECT_EQ(all.copy(0, a_few, slowly), errc::success);
  EXPECT_GT(asked(all, 0, 1000, 130us), 980);
  EXPECT_LT(asked(all, 1, 10000, 130us), 1000);
}

// Lists of pieces that were put off: what single transfers of as many bytes show says nothing of
// them, nor they of those.
TEST(PromptOwners, AreJudgedByListsApart) {
  prompt_owners all(1, slow_kernel);
  const prompt_owners::transfer list{128, 8};
  int lists = 0, singles = 0;
  for (int i = 0; i < 10000; ++i) {
    if (all.worth_asking(0, list)) {
      ++lists;
      all.note(0, list, 60us);
    }
    if (all.worth_asking(0, 128)) {
      ++singles;
      all.note(0, 128, 900ns);
    }
  }
  EXPECT_LT(lists, 500);
  EXPECT_GT(singles, 9800);
}

// Eight pieces take the kernel more than three times as long as one.
TEST(PromptOwners, AreAskedForListsThatTheKernelTakesPieceByPiece) {
  prompt_owners all(2, slow_kernel);
  const auto asked_for = [&](std::size_t owner, prompt_owners::transfer x) {
    int n = 0;
    for (int i = 0; i < 1000; ++i)
      if (all.worth_asking(owner, x)) {
        ++n;
        all.note(owner, x, 5us);
      }
    return n;
  };
  EXPECT_GT(asked_for(0, {128, 8}), 980);
  EXPECT_LT(asked_for(1, {128, 2}), 500);
}

// They too are measured by what the kernel does with their owner's memory.
TEST(PromptOwners, AreJudgedByTheKernelsListsToo) {
  const auto slowly = []() noexcept {
    const auto until = std::chrono::steady_clock::now() + 200us;
    while (std::chrono::steady_clock::now() < until) {
    }
    return errc::success;
  };
  prompt_owners all(2, {100us, 0ns});
  const prompt_owners::transfer list{64, 2};  // the kernel is taken to need 137 us
  int copies = 0;
  for (; !all.worth_asking(0, list); ++copies) EXPECT_EQ(all.copy(0, list, slowly), errc::success);
  EXPECT_EQ(copies, 8);
  int n = 0;
  for (int i = 0; i < 1000; ++i)
    if (all.worth_asking(0, list)) {
      ++n;
      all.note(0, list, 160us);
    }
  EXPECT_GT(n, 980);
}

TEST(PromptOwners, AreKnownOneByOne) {
  prompt_owners all(2, slow_kernel);
  asked(all, 0, 100000, 1ms);
  EXPECT_GT(asked(all, 1, 1000, 900ns), 980);
}

}  // namespace
}  // namespace oriel::win
