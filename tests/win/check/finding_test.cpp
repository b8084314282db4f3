// ORIEL_CHECK prints misuse although the program ignores the code: once each, and with abort it
// ends the job.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

struct ended {
  int status;
  std::string output;
};
ended run(const char* check, const char* misuse) {
  const scoped_variable checking("ORIEL_CHECK", check);
  launched_program job(ORIEL_RUN, {"-n", "2", "--timeout", "30", ORIEL_CARELESS_RANK, misuse});
  const int status = job.status();
  return {status, job.output};
}

TEST(Finding, IsPrintedOnceWithRankWindowAndSite) {
  const ended job = run("1", "window");
  EXPECT_EQ(job.status, 0) << job.output;
  EXPECT_EQ(times(job.output, "went on"), 2u) << job.output;
  EXPECT_EQ(times(job.output, "ORIEL_CHECK"), 2u) << "one of each rank: " << job.output;
  for (const char* rank : {"0", "1"})
    EXPECT_EQ(times(job.output, std::string("oriel: ORIEL_CHECK: window 'careless', rank ") + rank +
                                    ": put of elements [10, 11) to rank"),
              1u)
        << job.output;
  EXPECT_EQ(times(job.output, "careless_rank.cpp:16"), 2u) << job.output;
}

TEST(Finding, OfATeamIsPrintedToo) {
  const ended job = run("1", "team");
  EXPECT_EQ(times(job.output, "ORIEL_CHECK: team of 2, rank "), 2u) << job.output;
  EXPECT_EQ(times(job.output, "rank 0 team::barrier, rank 1 team::allgather of 4 bytes"), 2u)
      << job.output;
}

TEST(Finding, EndsTheJobWhereThatIsAskedFor) {
  const ended job = run("abort", "window");
  EXPECT_EQ(job.status, 1) << job.output;
  EXPECT_GE(times(job.output, "ORIEL_CHECK: window 'careless'"), 1u) << job.output;
  EXPECT_LT(times(job.output, "went on"), 2u) << job.output;
}

TEST(Finding, IsNothingWhereNothingIsWrong) {
  for (const char* check : {"1", "abort"}) {
    const ended job = run(check, "fine");
    EXPECT_EQ(job.status, 0) << job.output;
    EXPECT_EQ(times(job.output, "ORIEL_CHECK"), 0u) << job.output;
  }
  EXPECT_EQ(times(run("0", "window").output, "ORIEL_CHECK"), 0u);
}

}  // namespace
}  // namespace oriel::testing
