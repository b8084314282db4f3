// A rank that lives and does nothing is waited for: for ever, or as long as ORIEL_TIMEOUT says. So
// is room on the way to it.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

class Slow : public ::testing::TestWithParam<const char*> {};

TEST_P(Slow, IsWaitedForAsLongAsItLives) {
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2"}, {ORIEL_SLOW_RANK, GetParam(), "3"});
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 3; ++r) {
    EXPECT_TRUE(job.said(r, "met success")) << job.output;
    EXPECT_GT(job.seconds(r, "met "), 2) << job.output;
  }
}

TEST_P(Slow, IsGivenUpAfterTheTimeOut) {
  constexpr int patience = 3;  // the session opens under it too
  const scoped_variable timeout("ORIEL_TIMEOUT", std::to_string(patience));
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2"}, {ORIEL_SLOW_RANK, GetParam(), "12"});
  job.status();
  for (int r = 0; r < 3; ++r) {
    EXPECT_TRUE(job.said(r, "met timed_out")) << job.output;
    EXPECT_GT(job.seconds(r, "met "), patience - 1) << job.output;
    EXPECT_LT(job.seconds(r, "met "), patience + 8) << job.output;
  }
  const bool fence = std::string(GetParam()) == "fence";
  // Other nodes know no more than which node did not come, and only the rank that leads does.
  for (int r = 0; r < 3; ++r)
    EXPECT_NE(job.line(r, "met ").find(fence && r == 0   ? "the node of rank 2"
                                       : fence && r == 1 ? "rank"
                                                         : "rank 3"),
              std::string::npos)
        << job.output;
}

class SlowToTake : public ::testing::TestWithParam<const char*> {};

TEST_P(SlowToTake, IsWaitedForAsLongAsItLives) {
  faulty_job job({"--hosts", "2", "--ranks-per-host", "1"}, {ORIEL_SLOW_RANK, GetParam(), "3"});
  EXPECT_EQ(job.status(), 0) << job.output;
  EXPECT_TRUE(job.said(0, "met success")) << job.output;
  EXPECT_GT(job.seconds(0, "met "), 3) << job.output;
}

TEST_P(SlowToTake, IsGivenUpAfterTheTimeOut) {
  constexpr int patience = 3;
  const scoped_variable timeout("ORIEL_TIMEOUT", std::to_string(patience));
  faulty_job job({"--hosts", "2", "--ranks-per-host", "1"}, {ORIEL_SLOW_RANK, GetParam(), "12"});
  job.status();
  EXPECT_TRUE(job.said(0, "met timed_out")) << job.output;
  EXPECT_LT(job.seconds(0, "met "), patience + 8) << job.output;
  EXPECT_NE(job.line(0, "met ").find("with rank 1, which did not answer within ORIEL_TIMEOUT"),
            std::string::npos)
      << job.output;
}

TEST(SlowRoom, IsLeftForOthersAfterTheTimeOut) {
  const scoped_variable timeout("ORIEL_TIMEOUT", "3");
  faulty_job job({"--hosts", "3", "--ranks-per-host", "1"}, {ORIEL_SLOW_RANK, "room", "14"});
  job.status();
  EXPECT_TRUE(job.said(0, "met success")) << job.output;
  EXPECT_LT(job.seconds(0, "met "), 13) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Ways, SlowToTake, ::testing::Values("puts", "accumulates", "gathers"),
                         [](const auto& info) { return std::string(info.param); });

INSTANTIATE_TEST_SUITE_P(Waits, Slow, ::testing::Values("fence", "lock"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace oriel::testing
