// Strangers connect to whatever a job listens at, the fabric's sockets included, and talk nonsense:
// the job goes on unharmed. (Those at the bootstrap's port: session/rendezvous_test.cpp.)
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

TEST(Strangers, AtEveryPortDoNoHarm) {
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2"}, {ORIEL_BESIEGED_RANK, "5"});
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "unharmed")) << job.output;
  // The liveness port and the fabric's.
  EXPECT_EQ(job.output.find("knocked at 0 places"), std::string::npos) << job.output;
  EXPECT_EQ(job.output.find("knocked at 1 places"), std::string::npos) << job.output;
}

}  // namespace
}  // namespace oriel::testing
