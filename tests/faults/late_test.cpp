// Ranks whose shrink times out and that call it again come to one team with the one that was late.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

class Late : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Late, RanksAreInTheSameTeamAsThoseWhoAskedAgain) {
  const auto [hosts, per_host] = GetParam();
  const scoped_variable timeout("ORIEL_TIMEOUT", "3");  // the session opens under it too
  faulty_job job({"--hosts", hosts, "--ranks-per-host", per_host}, {ORIEL_LATE_RANK, "8"});
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 3; ++r) EXPECT_TRUE(job.said(r, "is in a team of 3, 7")) << job.output;
  EXPECT_FALSE(job.said(0, "timed out 0 times")) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Hosts, Late, ::testing::Values(std::pair("1", "3"), std::pair("3", "1")),
                         [](const auto& info) { return std::string("on_") + info.param.first; });

}  // namespace
}  // namespace oriel::testing
