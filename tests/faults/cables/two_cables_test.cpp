// Two cables join the hosts: a job uses the one that ORIEL_INTERFACE names, and the other may be
// down from the start or fail while it works.
#include <gtest/gtest.h>

#include "tests/faults/cables/cable_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

void expect_success(const words& trouble) {
  words options{"--cables", "2", "--ranks-per-host", "2"};
  options.insert(options.end(), trouble.begin(), trouble.end());
  cabled_job job(options, "5");
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met success")) << job.output;
}

TEST(TwoCables, TheNamedOneIsUsedWhereTheOtherIsDown) {
  if (!cables_permitted()) GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  const scoped_variable named("ORIEL_INTERFACE", "eth1");
  expect_success({"--down", "0:0@0", "--down", "1:0@0"});
}

TEST(TwoCables, TheOtherMayFailWhileTheJobWorks) {
  if (!cables_permitted()) GTEST_SKIP() << "network namespaces or packet sockets are not permitted";
  const scoped_variable named("ORIEL_INTERFACE", "eth1");
  expect_success({"--down", "1:0@3", "--silent", "0@2"});
}

}  // namespace
}  // namespace oriel::testing
