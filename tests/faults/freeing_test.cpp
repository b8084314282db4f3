// One rank of three, each on a host of its own, dies. The first survivor frees the window at once;
// the second goes on accessing the first through it until it knows. It is never told that the first
// has died, and both go on together.
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

class Freeing : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Freeing, LeavesThoseWhoStillAccessTheWindowConnected) {
  const auto [access, memory] = GetParam();
  std::string marks = ::testing::TempDir() + "/oriel_freeing_XXXXXX";
  ASSERT_NE(mkdtemp(marks.data()), nullptr);
  faulty_job job({"--hosts", "3", "--ranks-per-host", "1"},
                 {ORIEL_FREEING_RANK, access, memory, marks});
  EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
  EXPECT_TRUE(job.said(1, "was never told that the living are dead")) << job.output;
  for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
  std::filesystem::remove_all(marks);
}

INSTANTIATE_TEST_SUITE_P(Accesses, Freeing,
                         ::testing::Combine(::testing::Values("put", "put_row", "get", "accumulate",
                                                              "compare_swap", "put_notify"),
                                            ::testing::Values("allocate", "create")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

}  // namespace
}  // namespace oriel::testing
