// Hosts are cut off from each other, and come back: both parts know, soon, who is out of reach, of
// all ranks and not only of those that they have links with; when the parts meet again one of them
// knows that it has been given up.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

// Cuts come 4 s after a job's start, by when its ranks are linked on a busy machine too.
constexpr int silence = 3;  // two probes of keepalive: a busy machine may be late with one

std::unique_ptr<faulty_job> split(int hosts, int ranks_per_host, const std::string& cut,
                                  int silent_for, const std::string& seconds) {
  return cut_on_time(words{"--hosts", std::to_string(hosts), "--ranks-per-host",
                           std::to_string(ranks_per_host), "--cut", cut},
                     words{ORIEL_WATCHING_RANK, std::to_string(silent_for), seconds});
}

// "rank 3: knows 20 here, 4 silent, 0 ended, 0 estranged, the last after 5.2 s"
void expect_known(const faulty_job& job, int rank, int here, int silent, int estranged) {
  EXPECT_TRUE(job.said(rank, "knows " + std::to_string(here) + " here, " + std::to_string(silent) +
                                 " silent, 0 ended, " + std::to_string(estranged) + " estranged"))
      << job.output;
}

// Ranks have eight links each here.
TEST(Partition, IsKnownToBothPartsInFull) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto ended = split(6, 4, "5@4", silence, "13");
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 24; ++r) {
    expect_known(job, r, r < 20 ? 20 : 4, r < 20 ? 4 : 20, 0);
    EXPECT_LT(job.seconds(r, "knows "), job.late() + 4 + 2 * silence + 2) << job.output;
  }
}

TEST(Partition, ThatEndsEstrangesTheSmallerPart) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto ended = split(6, 4, "0@4-10", silence, "14");
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "knows 1 here")) << job.output;
  for (int r = 4; r < 24; ++r) expect_known(job, r, 20, 4, 0);
}

// Which host is cut does not matter, since neither part can observe that.
TEST(Partition, InHalvesEstrangesTheOneWithoutTheLowestRank) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto ended = split(2, 2, "0@4-10", silence, "16");
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 2; ++r) expect_known(job, r, 2, 2, 0);
  for (int r = 2; r < 4; ++r) EXPECT_TRUE(job.said(r, "knows 1 here")) << job.output;
}

// TCP repeats what is unanswered after 0.2, 0.6, 1.4, 3.0 and 6.2 s: the fourth time is well after
// the cut, and well before the silence is too long.
TEST(Partition, ThatIsShortDoesNothing) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto ended = split(3, 8, "1@4-6", 6, "11");
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 24; ++r) expect_known(job, r, 24, 0, 0);
}

}  // namespace
}  // namespace oriel::testing
