// A link that fails in the midst of a stream of operations: for less than the failure detector
// waits, which does no harm, and for longer, which is peer_failed soon. By a cable that loses all,
// which no kernel notices, and by an interface that goes down.
#include <gtest/gtest.h>

#include "tests/faults/cables/cable_driver.hpp"

namespace oriel::testing {
namespace {

class Failure : public ::testing::TestWithParam<const char*> {
 protected:
  // "--silent" or "--down", with the cable's first moment and what follows it.
  static words trouble(const std::string& when) {
    const std::string how = GetParam();
    return {"--ranks-per-host", "2", how, (how == "--down" ? "1:0@" : "0@") + when};
  }
};

TEST_P(Failure, OfThreeSecondsDoesNoHarm) {
  if (!cables_permitted()) GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  const cabled_job job(trouble("4-7"), "9");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met success")) << job.output;
  EXPECT_GT(job.number("the longest after "), 2.5) << "the ranks have not met it: " << job.output;
}

TEST_P(Failure, ThatLastsIsAnErrorSoon) {
  if (!cables_permitted()) GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  const std::string half_a_mebibyte = "65536";  // a part of which has arrived
  const cabled_job job(trouble("4"), "30", half_a_mebibyte);
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met peer_failed")) << job.output;
  EXPECT_LT(job.number("the longest after "), 11) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Ways, Failure, ::testing::Values("--silent", "--down"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

}  // namespace
}  // namespace oriel::testing
