// Operations that gather for a node whose performer dies: those to the dead fail, those to the
// living go on by another process, and what was flushed is there.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

class Gathering : public ::testing::TestWithParam<const char*> {};

TEST_P(Gathering, GoesOnWhenThePerformerOfANodeDies) {
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2"}, {ORIEL_GATHERING_RANK, GetParam()});
  EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
  // The one that performed is named, also by a flush of the one that lives.
  EXPECT_TRUE(
      job.said(0, "lost: window 'window', rank 0: an operation with rank 2, which has died"))
      << job.output;
  for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "to the dead: peer_failed")) << job.output;
  for (const int r : {0, 1}) {
    EXPECT_TRUE(job.said(r, "flush of all: peer_failed")) << job.output;
    EXPECT_TRUE(job.said(r, "flush of the living: success")) << job.output;
    EXPECT_TRUE(job.said(r, "flush of the dead: peer_failed")) << job.output;
    EXPECT_TRUE(job.said(r, "fetched: peer_failed")) << job.output;
    EXPECT_TRUE(job.said(r, "nothing more: success")) << job.output;
  }
  EXPECT_TRUE(job.said(0, "to the living: success")) << job.output;
  EXPECT_TRUE(job.said(0, "conserved")) << job.output;
  for (const int r : {0, 1, 3}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Flushes, Gathering, ::testing::Values("one", "all", "late"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace oriel::testing
