// A death that is found out while an operation to the dead rank is being posted: the operation
// fails, and those to ranks that live are complete as soon as ever.
#include <gtest/gtest.h>

#include <deque>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

TEST(Posting, ToTheDeadLeavesOperationsToTheLivingAlone) {
  constexpr const char* operations[] = {"accumulate", "put", "put_notify"};
  std::deque<faulty_job> jobs;
  for (const char* operation : operations)
    jobs.emplace_back(std::vector<std::string>{"--hosts", "3", "--ranks-per-host", "1"},
                      std::vector<std::string>{ORIEL_POSTING_RANK, operation});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE(operations[i]);
    faulty_job& job = jobs[i];
    EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
    EXPECT_TRUE(job.said(0, "met peer_failed")) << job.output;
    EXPECT_TRUE(job.said(0, "reached the living with success")) << job.output;
    EXPECT_LT(job.seconds(0, "reached the living with "), 5) << job.output;
    for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
  }
}

}  // namespace
}  // namespace oriel::testing
