// Two cables join the hosts. A job uses the one that ORIEL_INTERFACE names, and the other may be
// down from the start or fail while it works; or it is spread over both, and over what is left of
// them, also where one fails while it works.
#include <gtest/gtest.h>

#include "tests/faults/cables/cable_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

constexpr double many_frames = 300;  // more than probes and the session's opening take
constexpr const char* half_a_mebibyte = "65536";

class TwoCables : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cables_permitted())
      GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  }
  static cabled_job run(const words& trouble, const std::string& seconds, int ranks_per_host = 2,
                        const std::string& at_once = "0") {
    words options{"--cables", "2", "--ranks-per-host", std::to_string(ranks_per_host)};
    options.insert(options.end(), trouble.begin(), trouble.end());
    return {options, seconds, at_once};
  }
  static void expect_success(const cabled_job& job, int ranks_per_host = 2) {
    EXPECT_EQ(job.status(), 0) << job.output;
    for (int r = 0; r < 2 * ranks_per_host; ++r)
      EXPECT_TRUE(job.said(r, "met success")) << job.output;
    EXPECT_NE(job.output.find(" 0 wrong"), std::string::npos) << job.output;
  }
  // The cable falls silent while the job works, which goes on and explains its rails so.
  static void expect_replaced(int cable, const char* rails) {
    const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
    const cabled_job job = run({"--silent", std::to_string(cable) + "@4"}, "12");
    expect_success(job);
    EXPECT_GT(job.lost(cable), 0) << job.output;
    EXPECT_NE(job.output.find(rails), std::string::npos) << job.output;
  }
};

TEST_F(TwoCables, TheNamedOneIsUsedWhereTheOtherIsDown) {
  const scoped_variable named("ORIEL_INTERFACE", "eth1");
  const cabled_job job = run({"--down", "0:0@0", "--down", "1:0@0"}, "5");
  expect_success(job);
}

TEST_F(TwoCables, TheOtherMayFailWhileTheJobWorks) {
  const scoped_variable named("ORIEL_INTERFACE", "eth1");
  const cabled_job job = run({"--down", "1:0@3", "--silent", "0@2"}, "5");
  expect_success(job);
}

TEST_F(TwoCables, TheRanksAreSpreadOverBoth) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job = run({}, "4");
  expect_success(job);
  for (const int cable : {0, 1}) EXPECT_GT(job.passed(cable), many_frames) << job.output;
}

// Down at one host alone: the other's end looks well.
TEST_F(TwoCables, TheOneThatIsUpIsUsedByAll) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job = run({"--down", "1:0@0"}, "4");
  expect_success(job);
  EXPECT_GT(job.passed(1), many_frames) << job.output;
  EXPECT_NE(job.output.find("left out; down or not reached: eth0 on rank 2"), std::string::npos)
      << job.output;
}

TEST_F(TwoCables, ASessionWithBothDownDoesNotOpen) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth0");
  const cabled_job job = run({"--down", "1:0@0"}, "4");
  EXPECT_NE(job.status(), 0);
  EXPECT_NE(job.output.find("no interface that ORIEL_INTERFACE names is up"), std::string::npos)
      << job.output;
}

// Messages of two ranks go by one cable, reads and writes that are long by both.
TEST_F(TwoCables, ALongTransferIsSpreadOverBoth) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job = run({}, "2", 1, half_a_mebibyte);
  expect_success(job, 1);
  for (const int cable : {0, 1}) EXPECT_GT(job.passed(cable), many_frames) << job.output;
  EXPECT_NE(job.output.find(" over eth0 and eth1;"), std::string::npos) << job.output;
}

TEST_F(TwoCables, OneThatFallsSilentWhileTheJobWorksIsReplaced) {
  expect_replaced(0, " over eth0 (has failed) and eth1;");
}

// That by which ranks of one host speak with each other, as they do at the end for the first time.
TEST_F(TwoCables, TheOneThatRanksOfAHostHaveNotUsedYetMayBeReplaced) {
  expect_replaced(1, " over eth0 and eth1 (has failed);");
}

// Before the hosts have reached each other there.
TEST_F(TwoCables, OneThatIsSilentFromTheStartIsReplaced) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job = run({"--silent", "0@0"}, "2");
  expect_success(job);
  EXPECT_NE(job.output.find("left out; some ranks do not reach each other there: eth0"),
            std::string::npos)
      << job.output;
  EXPECT_NE(job.output.find(" over eth0 (has failed) and eth1;"), std::string::npos) << job.output;
}

// At whatever step of that: left out or replaced, as it comes.
TEST_F(TwoCables, OneThatGoesDownWhileTheSessionOpensKeepsNobodyFromWorking) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  for (const char* const moment : {"0.05", "0.15", "0.3"}) {
    const cabled_job job = run({"--down", std::string("1:0@") + moment}, "1", 1);
    expect_success(job, 1);
  }
}

// It comes back with what it had swallowed, which must not arrive any more.
TEST_F(TwoCables, OneThatGoesDownAmidLongTransfersIsReplacedForGood) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job = run({"--down", "1:0@4-13"}, "15", 1, half_a_mebibyte);
  expect_success(job, 1);
  EXPECT_NE(job.output.find(" over eth0 (has failed) and eth1;"), std::string::npos) << job.output;
}

// No other is left, and every rank comes to an end soon, amid long transfers too.
TEST_F(TwoCables, BothThatFailAreAnErrorSoon) {
  const scoped_variable named("ORIEL_INTERFACE", "eth0,eth1");
  const cabled_job job =
      run({"--silent", "0@4", "--silent", "1@4", "--timeout", "25"}, "60", 2, half_a_mebibyte);
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met peer_failed")) << job.output;
  EXPECT_LT(job.number("the longest after "), 11) << job.output;
}

}  // namespace
}  // namespace oriel::testing
