// What an owner's process does for others (atomics of memory that they do not map) is waited for as
// long as the owner lives, whoever else has died.
#include <gtest/gtest.h>

#include <deque>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

class Served : public ::testing::TestWithParam<int> {};

TEST_P(Served, ByAnOwnerWhoLivesThoughAnotherHasDied) {
  constexpr const char* operations[] = {"accumulate", "compare_swap", "get_accumulate"};
  const int hosts = GetParam();
  std::deque<faulty_job> jobs;
  for (const char* operation : operations)
    jobs.emplace_back(std::vector<std::string>{"--hosts", std::to_string(hosts), "--ranks-per-host",
                                               std::to_string(3 / hosts)},
                      std::vector<std::string>{ORIEL_SERVED_RANK, operation});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE(operations[i]);
    faulty_job& job = jobs[i];
    EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
    EXPECT_TRUE(job.said(1, "was served with success")) << job.output;
    for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, Served, ::testing::Values(1, 3),
                         [](const auto& info) { return "on_" + std::to_string(info.param); });

}  // namespace
}  // namespace oriel::testing
