// When libfabric is loaded: by jobs that span nodes, and by no others; and what a job says whose
// ranks do not all have it. Run on one node and on two pretended ones; and with ORIEL_TEST_BROKEN
// where rank 1 finds a file that is no library.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

bool has_libfabric() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libfabric.so") != std::string::npos) return true;
  return false;
}

bool of_one_rank_is_broken() {
  return std::getenv("ORIEL_TEST_BROKEN") != nullptr;
}

TEST(LibfabricLoading, IsOfJobsThatSpanNodes) {
  if (of_one_rank_is_broken()) GTEST_SKIP();
  EXPECT_FALSE(has_libfabric());
  EXPECT_EQ((job(), has_libfabric()), spans_nodes());
}

TEST(LibfabricLoading, FailsOnEveryRankAlike) {
  if (!of_one_rank_is_broken()) GTEST_SKIP();
  const thrown failure = catch_error([] { session(); });
  EXPECT_EQ(failure.code, errc::system);
  EXPECT_THAT(failure.text, ::testing::HasSubstr("rank 1"));
  EXPECT_THAT(failure.text, ::testing::HasSubstr("libfabric.so.1 cannot be loaded"));
}

}  // namespace
}  // namespace oriel::testing
