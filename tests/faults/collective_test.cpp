// Every collective of a team that has lost a rank is told peer_failed: none succeeds because
// somebody has left to free a window, or hands out anything else. ORIEL_TEST_SEED=N has other
// orders.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

class Collectives : public ::testing::TestWithParam<int> {};

TEST_P(Collectives, OfATeamThatHasLostARankFail) {
  const int hosts = GetParam();
  const char* const given = std::getenv("ORIEL_TEST_SEED");
  const std::uint64_t first = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
  std::deque<faulty_job> jobs;
  for (std::uint64_t seed = first; seed < first + 4; ++seed)
    jobs.emplace_back(std::vector<std::string>{"--hosts", std::to_string(hosts), "--ranks-per-host",
                                               std::to_string(6 / hosts)},
                      std::vector<std::string>{ORIEL_COLLECTIVE_RANK, std::to_string(seed)});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(first + i));
    faulty_job& job = jobs[i];
    EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
    for (int r = 0; r < 5; ++r) {
      EXPECT_TRUE(job.said(r, "was told each time")) << job.output;
      EXPECT_TRUE(job.said(r, "went on")) << job.output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, Collectives, ::testing::Values(1, 2, 3),
                         [](const auto& info) { return "on_" + std::to_string(info.param); });

}  // namespace
}  // namespace oriel::testing
