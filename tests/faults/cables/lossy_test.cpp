// Links that lose frames: TCP sends them again, so that every result is right, and no rank counts
// as gone.
#include <gtest/gtest.h>

#include "tests/faults/cables/cable_driver.hpp"

namespace oriel::testing {
namespace {

// Where a fifth is lost for long, a session may fail to open, and a frame that has been sent seven
// times waits half a minute for the next: such a link is good again when the ranks end.
struct loss {
  int percent;
  const char* from;
  const char* until;  // 60: until after the end
  const char* seconds;
};

class LossOf : public ::testing::TestWithParam<loss> {};

TEST_P(LossOf, FramesIsMadeGood) {
  if (!cables_permitted()) GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  const auto [percent, from, until, seconds] = GetParam();
  const cabled_job job({"--ranks-per-host", "2", "--loss", std::to_string(percent / 100.),
                        "--loss-from", from, "--loss-until", until},
                       seconds);
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) {
    EXPECT_TRUE(job.said(r, "met success")) << job.output;
  }
  EXPECT_NE(job.output.find(" 0 wrong"), std::string::npos) << job.output;
  // Where many are, little is sent.
  EXPECT_GT(job.lost(0), 5) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Percent, LossOf,
                         ::testing::Values(loss{1, "0", "60", "4"}, loss{5, "0", "60", "4"},
                                           loss{20, "3", "5", "5"}),
                         [](const auto& info) { return std::to_string(info.param.percent); });

}  // namespace
}  // namespace oriel::testing
