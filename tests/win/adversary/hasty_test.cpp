// ORIEL_ADVERSARY makes programs fail that rely on more than they synchronized for, and no others.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

constexpr int seeds = 4;
constexpr std::size_t programs = 12;

// What became of each.
std::map<std::string, bool> run(const char* seed, const char* how) {
  const scoped_variable adversary("ORIEL_ADVERSARY", seed);
  launched_program job(ORIEL_RUN, {"-n", "2", "--timeout", "30", ORIEL_HASTY_RANK, how});
  EXPECT_EQ(job.status(), 0) << job.output;
  EXPECT_EQ(job.output.find("ORIEL_CHECK: "), std::string::npos) << job.output;
  std::map<std::string, bool> came;
  std::istringstream lines(job.output);
  for (std::string name, outcome; lines >> name >> outcome;) came[name] = outcome == "came";
  EXPECT_EQ(came.size(), programs) << job.output;
  return came;
}

TEST(Hasty, ProgramsComeThroughWithoutTheAdversary) {
  for (const auto& [name, came] : run("0", "wrong")) EXPECT_TRUE(came) << name;
}

TEST(Hasty, ProgramsFailWithItForSomeSeed) {
  std::map<std::string, int> failed;
  for (int seed = 1; seed <= seeds; ++seed)
    for (const auto& [name, came] : run(std::to_string(seed).c_str(), "wrong"))
      failed[name] += came ? 0 : 1;
  for (const auto& [name, times] : failed)
    EXPECT_GT(times, 0) << name << " came through with all of " << seeds << " seeds";
}

TEST(Hasty, ProgramsPutRightComeThroughWithAnySeed) {
  for (int seed = 0; seed <= seeds; ++seed)
    for (const auto& [name, came] : run(std::to_string(seed).c_str(), "right"))
      EXPECT_TRUE(came) << name << ", seed " << seed;
}

TEST(Hasty, ProgramsPutRightComeThroughUnderTheChecksToo) {
  const scoped_variable check("ORIEL_CHECK", "1");
  for (const auto& [name, came] : run("1", "right")) EXPECT_TRUE(came) << name;
}

}  // namespace
}  // namespace oriel::testing
