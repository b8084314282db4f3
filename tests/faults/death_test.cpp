// One rank of four, on two hosts, dies at every kind of moment. The others get its number, soon;
// they free the window, leave no memory behind, and go on without it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

struct death {
  const char* moment;
  int victim;  // 0 leads its node and keeps the window-wide lock; 3 does neither
  int hosts;
};

class Death : public ::testing::TestWithParam<death> {};

TEST_P(Death, IsToldToAllOthersWhoGoOn) {
  const auto [moment, victim, hosts] = GetParam();
  if (std::string(moment) == "while_opening" && std::getenv("ORIEL_TEST_KIND") == nullptr)
    GTEST_SKIP() << "nothing is opened without a kind of device memory";
  faulty_job job({"--hosts", std::to_string(hosts), "--ranks-per-host", std::to_string(4 / hosts)},
                 {ORIEL_DYING_RANK, moment, std::to_string(victim)});
  EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
  const bool has_text = std::string(moment) != "free" && std::string(moment) != "barrier";
  for (int r = 0; r < 4; ++r) {
    if (r == victim) continue;
    const std::string met = job.line(r, "met ");
    EXPECT_NE(met.find("met peer_failed"), std::string::npos) << job.output;
    EXPECT_LT(job.seconds(r, "met "), 10) << job.output;
    // The loop that constructs also frees, and a free that fails leaves no text.
    const bool in_free = std::string(moment) == "during_construction" && met.ends_with(": ");
    if (has_text && !in_free) {
      EXPECT_NE(met.find("rank " + std::to_string(victim), met.find(" after ")), std::string::npos)
          << met;
    }
    EXPECT_TRUE(job.said(r, "went on")) << job.output;
    // Who dies between the last meeting in a free and its own departure leaves a window's block
    // behind, until the job ends: the others have departed already.
    if (std::string(moment) != "during_construction") {
      EXPECT_TRUE(job.said(r, "left nothing")) << job.output;
    }
  }
}

std::string label(const ::testing::TestParamInfo<death>& info) {
  return std::string(info.param.moment) + "_of_rank_" + std::to_string(info.param.victim);
}

INSTANTIATE_TEST_SUITE_P(
    OnTwoHosts, Death,
    ::testing::Values(death{"before_construction", 3, 2}, death{"before_construction", 0, 2},
                      death{"during_construction", 3, 2}, death{"barrier", 3, 2},
                      death{"barrier", 0, 2}, death{"fence", 3, 2}, death{"fence", 0, 2},
                      death{"exclusive_lock", 3, 2}, death{"exclusive_lock", 1, 2},
                      death{"shared_lock", 3, 2}, death{"lock_all", 3, 2}, death{"lock_all", 0, 2},
                      death{"puts", 3, 2}, death{"puts", 0, 2}, death{"accumulates", 3, 2},
                      death{"before_complete", 3, 2}, death{"before_complete", 0, 2},
                      death{"before_complete_tested", 3, 2}, death{"after_post", 3, 2},
                      death{"free", 3, 2}, death{"free", 0, 2}),
    label);
// No rank there shares a node with the victim, and none waits that would detect the death.
INSTANTIATE_TEST_SUITE_P(OnFourHosts, Death, ::testing::Values(death{"requests_tested", 3, 4}),
                         label);
// Freeing waits for nobody there, so it fails for nobody.
INSTANTIATE_TEST_SUITE_P(
    OnOneHost, Death,
    ::testing::Values(death{"before_construction", 3, 1}, death{"before_construction", 0, 1},
                      death{"during_construction", 3, 1}, death{"while_opening", 3, 1},
                      death{"barrier", 3, 1}, death{"fence", 0, 1}, death{"exclusive_lock", 3, 1},
                      death{"shared_lock", 3, 1}, death{"lock_all", 0, 1},
                      death{"before_complete", 3, 1}, death{"before_complete_tested", 3, 1},
                      death{"after_post", 3, 1}),
    label);

}  // namespace
}  // namespace oriel::testing
