// Every collective of a team that has lost a rank returns peer_failed: none succeeds because a rank
// has left to free a window, or returns anything else. ORIEL_TEST_SEED=N has other
// orders.
#include <gtest/gtest.h>

#include <deque>

#include "tests/faults/fault_driver.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

struct started {
  int hosts;
  std::uint64_t seed;
  faulty_job job{{"--hosts", std::to_string(hosts), "--ranks-per-host", std::to_string(6 / hosts)},
                 {ORIEL_COLLECTIVE_RANK, std::to_string(seed)}};
  started(int h, std::uint64_t s) : hosts(h), seed(s) {}
};

TEST(Collectives, OfATeamThatHasLostARankFail) {
  const std::uint64_t first = seed_or(1);
  std::deque<started> jobs;
  for (const int hosts : {1, 2, 3})
    for (std::uint64_t seed = first; seed < first + 3; ++seed) jobs.emplace_back(hosts, seed);
  for (started& s : jobs) {
    SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(s.seed) + " on " + std::to_string(s.hosts) +
                 " hosts");
    EXPECT_EQ(s.job.status(), 128 + SIGKILL) << s.job.output;
    for (int r = 0; r < 5; ++r) {
      EXPECT_TRUE(s.job.said(r, "was told each time")) << s.job.output;
      EXPECT_TRUE(s.job.said(r, "went on")) << s.job.output;
    }
  }
}

}  // namespace
}  // namespace oriel::testing
