// A host is cut off from the other: both sides are told, within about the time that keepalive
// takes, and go on by themselves.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

class Cut : public ::testing::TestWithParam<const char*> {};

TEST_P(Cut, IsAnErrorOnBothSides) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const std::string work = GetParam();
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2", "--cut", "1@5"}, {ORIEL_CUT_HOST, work});
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) {
    // Those who come late to a barrier that the others had entered before the cut have met them.
    const bool late = work == "waiting" && r >= 2;
    EXPECT_TRUE(late || job.said(r, "met peer_failed")) << job.output;
    EXPECT_LT(job.seconds(r, "met "), work == "waiting" ? 16 : 11) << job.output;
    EXPECT_TRUE(job.said(r, "went on")) << job.output;
    EXPECT_TRUE(job.said(r, "left nothing")) << job.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Works, Cut,
                         ::testing::Values("barrier", "fence", "lock", "flush", "waiting"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace oriel::testing
