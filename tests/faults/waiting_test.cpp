// A thread that waits for packets to be performed leaves the window's other threads alone: their
// operations on other ranks begin, and are complete, while it waits.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

struct wait_of {
  const char* name;
  const char* hosts;
  const char* ranks_per_host;
};

class Waiting : public ::testing::TestWithParam<wait_of> {};

TEST_P(Waiting, ForARankThatStandsStillLeavesOtherThreadsAlone) {
  const wait_of& wait = GetParam();
  faulty_job job({"--hosts", wait.hosts, "--ranks-per-host", wait.ranks_per_host},
                 {ORIEL_WAITING_RANK, wait.name});
  EXPECT_EQ(job.status(), 0) << job.output;
  EXPECT_TRUE(job.said(0, "worked beside it")) << job.output;
  EXPECT_TRUE(job.said(0, "conserved")) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Ways, Waiting,
                         ::testing::Values(wait_of{"operations", "3", "1"},
                                           wait_of{"lists", "3", "1"}, wait_of{"result", "3", "1"},
                                           wait_of{"flood", "3", "1"}, wait_of{"near", "2", "2"},
                                           wait_of{"near_notified", "2", "2"},
                                           wait_of{"near_full", "1", "3"},
                                           wait_of{"near_mail", "1", "3"},
                                           wait_of{"near_given_up", "1", "3"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace oriel::testing
