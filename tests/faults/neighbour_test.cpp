// The death of one rank of a host is no reason for its neighbours to fail with each other.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

TEST(Neighbour, IsServedByItsOwnerWhoeverElseHasDied) {
  faulty_job job({"--hosts", "1", "--ranks-per-host", "3"}, {ORIEL_NEIGHBOUR_RANK});
  EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
  EXPECT_EQ(job.output.find("met "), std::string::npos) << job.output;
  for (const int r : {0, 1})
    for (const char* what : {"did its part", "was served", "went on"})
      EXPECT_TRUE(job.said(r, what)) << job.output;
}

}  // namespace
}  // namespace oriel::testing
