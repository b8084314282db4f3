// One rank's machine has too little memory or too few descriptors: an error everywhere alike, that
// names the rank, or none; never a rank that waits for another that has given up.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

const std::vector<std::string> two_hosts{"--hosts", "2", "--ranks-per-host", "2"};

TEST(Limits, MemoryOfOneHost) {
  for (const std::string what : {"arena", "available"}) {
    faulty_job job(two_hosts, {ORIEL_LIMITED_RANK, what, "2"});
    EXPECT_EQ(job.status(), 0) << job.output;
    if (job.output.find("has too much memory") != std::string::npos) continue;
    for (int r = 0; r < 4; ++r) {
      const std::string met = job.line(r, "met ");
      EXPECT_NE(met.find("met no_mem"), std::string::npos) << job.output;
      EXPECT_NE(met.find("rank 2: "), std::string::npos) << met;
      EXPECT_TRUE(job.said(r, "left nothing")) << job.output;
      EXPECT_TRUE(job.said(r, "went on")) << job.output;
    }
  }
}

class Descriptors : public ::testing::TestWithParam<int> {};

TEST_P(Descriptors, TooFewToOpenASession) {
#ifdef ORIEL_TEST_TAKES_DESCRIPTORS
  GTEST_SKIP() << "the sanitizer takes descriptors to look at objects";
#endif
  const scoped_variable timeout("ORIEL_TIMEOUT", "8");
  for (const int poor : {0, 3}) {
    faulty_job job(two_hosts, {ORIEL_LIMITED_RANK, "descriptors", std::to_string(poor),
                               std::to_string(GetParam())});
    EXPECT_EQ(job.status(), 0) << job.output;
    const bool opened = job.said(poor, "met success");
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(job.said(r, "met success"), opened) << job.output;
      EXPECT_LT(job.seconds(r, "met "), 20) << job.output;
      EXPECT_GE(job.seconds(r, "met "), 0) << job.output;
      if (!opened && r != poor) {
        EXPECT_TRUE(job.line(r, "met ").find("rank " + std::to_string(poor)) != std::string::npos ||
                    job.line(r, "met ").find(": " + std::to_string(poor)) != std::string::npos)
            << job.output;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Left, Descriptors, ::testing::Values(0, 2, 6, 11, 12, 13, 14, 20, 40));

// The file that ranks of a node share and the addresses at which it is mapped: the poor rank makes
// the one (0, 2), or only maps it (1, 3).
TEST(Limits, OnFilesAndAddressesAreNamed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer takes more addresses than are left";
#endif
  const scoped_variable timeout("ORIEL_TIMEOUT", "8");
  for (const auto& [what, name] :
       {std::pair<std::string, std::string>{"files", "RLIMIT_FSIZE"}, {"addresses", "RLIMIT_AS"}})
    for (const int poor : {0, 2, 3}) {
      faulty_job job(two_hosts, {ORIEL_LIMITED_RANK, what, std::to_string(poor)});
      EXPECT_EQ(job.status(), 0) << job.output;
      const bool only_maps = poor % 2 == 1;
      for (int r = 0; r < 4; ++r) {
        const std::string met = job.line(r, "met ");
        if (what == "files" && only_maps) {
          EXPECT_NE(met.find("met success"), std::string::npos) << job.output;
          continue;
        }
        EXPECT_NE(met.find("rank " + std::to_string(poor) + ": "), std::string::npos) << job.output;
        EXPECT_NE(met.find(name), std::string::npos) << job.output;
      }
    }
}

// The tcp provider locks no memory, so a window needs none that is locked.
TEST(Limits, NoLockedMemory) {
  faulty_job job(two_hosts, {ORIEL_LIMITED_RANK, "memlock", "3"});
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met success")) << job.output;
}

}  // namespace
}  // namespace oriel::testing
