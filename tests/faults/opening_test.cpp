// A host is cut off, or a rank dies, while a session opens: every rank gets an error that names the
// host's rank, and gets it about when keepalive detects the cut, not after the minute that ranks
// may be late.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

// Three hosts of a rank each; what a cut is after, and how long it lasts: see opening_rank.cpp.
struct opening_job : faulty_job {
  opening_job(int cut_after, const std::string& seconds)
      : faulty_job({"--hosts", "3"}, {ORIEL_OPENING_RANK, std::to_string(cut_after), seconds}) {}
};

// Of a session that opens undisturbed.
int exchanges_of_opening() {
  opening_job job(0, "0");
  EXPECT_EQ(job.status(), 0) << job.output;
  int n = 0;
  EXPECT_EQ(std::sscanf(job.line(0, "exchanged ").c_str(), "rank 0: exchanged %d", &n), 1)
      << job.output;
  return n;
}

TEST(Opening, WithAHostThatIsCutOffFailsForAll) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const int whole = exchanges_of_opening();
  // At the beginning, before the fabric is opened, and before it is tried.
  opening_job at_once(2, "0"), half_way(whole / 2, "0"), late(whole - 2, "0");
  for (opening_job* const job : {&at_once, &half_way, &late}) {
    EXPECT_EQ(job->status(), 0) << job->output;
    for (int r = 0; r < 3; ++r) {
      const std::string met = job->line(r, "met ");
      EXPECT_NE(met.find("met peer_failed"), std::string::npos) << job->output;
      EXPECT_NE(met.find(r == 2 ? "rank 0 was not reached" : "rank 2 was not reached"),
                std::string::npos)
          << job->output;
      EXPECT_LT(job->seconds(r, "met "), 25) << job->output;
    }
  }
}

// More ranks than are a star: each host's are a part of a tree, which a cut takes apart.
class large_job : public faulty_job {
 public:
  static constexpr int ranks = 18, of_the_last_host = 6;
  large_job(int fault_after, const std::string& victim)
      : faulty_job({"--hosts", "3", "--ranks-per-host", "6"}, command(fault_after, victim)) {}

 private:
  static words command(int fault_after, const std::string& victim) {
    words all{ORIEL_OPENING_RANK, std::to_string(fault_after), "0"};
    if (!victim.empty()) all.push_back(victim);
    return all;
  }
};

// The number of the rank that `met` blames for it, -1 for none.
int blamed(const std::string& met, const std::string& what) {
  const auto end = met.rfind(what);
  const auto begin = met.rfind("rank ", end);
  return end == std::string::npos ? -1 : std::atoi(met.c_str() + begin + 5);
}

TEST(Opening, OfATreeWithAHostThatIsCutOffFailsForAll) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  large_job job(2, "");
  EXPECT_EQ(job.status(), 0) << job.output;
  constexpr int first_cut = large_job::ranks - large_job::of_the_last_host;
  for (int r = 0; r < large_job::ranks; ++r) {
    const std::string met = job.line(r, "met ");
    EXPECT_NE(met.find("met peer_failed"), std::string::npos) << job.output;
    const int who = blamed(met, " was not reached");
    EXPECT_GE(who, 0) << met;
    EXPECT_NE(who < first_cut, r < first_cut) << met;
    EXPECT_LT(job.seconds(r, "met "), 25) << job.output;
  }
}

TEST(Opening, OfATreeWithARankThatDiesFailsForAllWithItsNumber) {
  for (const int victim : {8, 12, 17}) {
    large_job job(3, std::to_string(victim));
    EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
    for (int r = 0; r < large_job::ranks; ++r) {
      if (r == victim) continue;
      const std::string met = job.line(r, "met ");
      EXPECT_NE(met.find("met peer_failed"), std::string::npos) << job.output;
      EXPECT_EQ(blamed(met, " has left"), victim) << met;
      EXPECT_LT(job.seconds(r, "met "), 20) << job.output;
    }
  }
}

// The provider finds the loopback alone there, at which the other hosts would look for it in vain.
// When it looks is its own affair: some of these cuts come too early, or too late.
TEST(Opening, WithTheLoopbackForAnAddressFailsForAll) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  opening_job early(8, "1"), then(10, "1"), late(12, "1");
  int refused = 0;
  for (opening_job* const job : {&early, &then, &late}) {
    EXPECT_EQ(job->status(), 0) << job->output;
    const bool opened = job->said(0, "met success");
    refused += opened ? 0 : 1;
    for (int r = 0; r < 3; ++r) {
      const std::string met = job->line(r, "met ");
      EXPECT_EQ(job->said(r, "met success"), opened) << job->output;
      if (opened) continue;
      EXPECT_NE(met.find("rank 2: "), std::string::npos) << job->output;
      EXPECT_NE(met.find("the loopback"), std::string::npos) << job->output;
      EXPECT_LT(job->seconds(r, "met "), 15) << job->output;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace oriel::testing
