// Hosts are cut off from each other, and come back: both parts know, soon, who is out of reach, of
// all ranks and not only of those that they have links with; when the parts meet again one of them
// knows that it has been given up.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

constexpr int silence = 2;

struct split_job : faulty_job {
  split_job(int hosts, int ranks_per_host, const std::string& cut, const std::string& silent_for,
            const std::string& seconds)
      : faulty_job({"--hosts", std::to_string(hosts), "--ranks-per-host",
                    std::to_string(ranks_per_host), "--cut", cut},
                   {ORIEL_WATCHING_RANK, silent_for, seconds}) {}
};

// "rank 3: knows 20 here, 4 silent, 0 ended, 0 estranged, the last after 5.2 s"
void expect_known(const split_job& job, int rank, int here, int silent, int estranged) {
  EXPECT_TRUE(job.said(rank, "knows " + std::to_string(here) + " here, " + std::to_string(silent) +
                                 " silent, 0 ended, " + std::to_string(estranged) + " estranged"))
      << job.output;
}

// Ranks have eight links each here.
TEST(Partition, IsKnownToBothPartsInFull) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  split_job job(6, 4, "5@2", std::to_string(silence), "9");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 24; ++r) {
    expect_known(job, r, r < 20 ? 20 : 4, r < 20 ? 4 : 20, 0);
    EXPECT_LT(job.seconds(r, "knows "), job.late() + 2 + 2 * silence + 2) << job.output;
  }
}

TEST(Partition, ThatEndsEstrangesTheSmallerPart) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  split_job job(6, 4, "0@2-7", std::to_string(silence), "11");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "knows 1 here")) << job.output;
  for (int r = 4; r < 24; ++r) expect_known(job, r, 20, 4, 0);
}

// Which host is cut does not matter, since neither part can observe that.
TEST(Partition, InHalvesEstrangesTheOneWithoutTheLowestRank) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  split_job job(2, 2, "0@2-6", std::to_string(silence), "10");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 2; ++r) expect_known(job, r, 2, 2, 0);
  for (int r = 2; r < 4; ++r) EXPECT_TRUE(job.said(r, "knows 1 here")) << job.output;
}

TEST(Partition, ThatIsShortDoesNothing) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  split_job job(3, 8, "1@2-5", "6", "9");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 24; ++r) expect_known(job, r, 24, 0, 0);
}

}  // namespace
}  // namespace oriel::testing
