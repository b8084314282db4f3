// Operations that gather for a node whose performer dies: those to the dead fail, those to the
// living go on by another process, and what was flushed is there.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

TEST(Gathering, GoesOnWhenThePerformerOfANodeDies) {
  faulty_job job({"--hosts", "2", "--ranks-per-host", "2"}, {ORIEL_GATHERING_RANK});
  EXPECT_EQ(job.status(), 128 + SIGKILL) << job.output;
  // Of all ranks the one that performed is named.
  EXPECT_TRUE(
      job.said(0, "lost: window 'window', rank 0: an operation with rank 2, which has died"))
      << job.output;
  for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "to the dead: peer_failed")) << job.output;
  EXPECT_TRUE(job.said(0, "to the living: success")) << job.output;
  EXPECT_TRUE(job.said(0, "conserved")) << job.output;
  for (const int r : {0, 1, 3}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
}

}  // namespace
}  // namespace oriel::testing
