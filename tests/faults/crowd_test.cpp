// Many ranks wait for one that computes, on a host whose listening queues hold few connections: it
// lives, and is not declared failed.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

void expect_all_served(int ranks, const std::string& strangers) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  faulty_job job({"--hosts", "1", "--ranks-per-host", std::to_string(ranks)},
                 {ORIEL_CROWDED_RANK, strangers, "8"});
  const int status = job.status();
  if (status == 4) GTEST_SKIP() << "this user may not shorten the queues";
  EXPECT_EQ(status, 0) << job.output;
  for (int r = 0; r < ranks; ++r) {
    EXPECT_TRUE(job.said(r, "met success")) << job.output;
    const std::string saw = job.line(r, "saw ");
    // "rank 1: saw 120 of 160 strangers dropped": all but those at other ports than the ranks'.
    int dropped = -1, of = -1;
    EXPECT_EQ(std::sscanf(saw.c_str(), "rank %*d: saw %d of %d", &dropped, &of), 2) << saw;
    if (r > 0 && strangers != "0") {
      EXPECT_GT(dropped, of / 3) << saw;
    }
  }
  EXPECT_TRUE(job.said(0, "counted " + std::to_string(ranks))) << job.output;
}

TEST(Crowd, OfRanksWhoWaitForALock) {
  expect_all_served(24, "0");
}

TEST(Crowd, OfStrangersWhoSayNothing) {
  expect_all_served(4, "40");
}

}  // namespace
}  // namespace oriel::testing
