// A host is cut off from the others: both sides detect it, within about the time that keepalive
// takes. One of them goes on, or both where they pass every_part. A link that comes back in time
// has done no harm.
#include <gtest/gtest.h>

#include "tests/faults/fault_driver.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {
namespace {

class CutFor : public ::testing::TestWithParam<const char*> {};

TEST_P(CutFor, IsAnErrorOnBothSides) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const std::string work = GetParam();
  // Well before those come, after 6 s, for whom the others wait.
  const char* const cut = work == "waiting" ? "1@4" : "1@5";
  const auto ended = cut_on_time(words{"--hosts", "2", "--ranks-per-host", "2", "--cut", cut},
                                 words{ORIEL_CUT_HOST, work});
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) {
    // Those who come late to a barrier that the others had entered before the cut have met them.
    const bool late = work == "waiting" && r >= 2;
    EXPECT_TRUE(late || job.said(r, "met peer_failed")) << job.output;
    EXPECT_LT(job.seconds(r, "met "), job.late() + (work == "waiting" ? 14 : 11)) << job.output;
    const std::string text = job.line(r, "met ");
    EXPECT_EQ(text.find("has died"), std::string::npos) << "nobody has: " << text;
    if (work == "fence" || work == "lock" || work == "flush") {
      EXPECT_NE(text.find("was not reached for"), std::string::npos) << text;
    }
    EXPECT_TRUE(job.said(r, "left nothing")) << job.output;
  }
  // Both parts are equal, and the lowest rank is in the first.
  for (const int r : {0, 1}) EXPECT_TRUE(job.said(r, "went on")) << job.output;
  for (const int r : {2, 3}) {
    EXPECT_TRUE(job.said(r, "did not go on: peer_failed")) << job.output;
    EXPECT_NE(job.line(r, "did not go on").find("most of the job is out of reach"),
              std::string::npos)
        << job.output;
  }
}

TEST(Cut, LetsEachPartGoOnWhereBothSaySo) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto ended = cut_on_time(words{"--hosts", "2", "--ranks-per-host", "2", "--cut", "1@5"},
                                 words{ORIEL_CUT_HOST, "fence", "apart"});
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "went on")) << job.output;
}

// As plain TCP would: for as long as the program waits. The ranks work while the link goes down, or
// communicate for the first time while it is.
TEST(Cut, ThatIsShorterThanTheTimeOutIsRiddenOut) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const scoped_variable timeout("ORIEL_TIMEOUT", "20");
  struct plan {
    const char *cut, *from, *until;
  };
  for (const auto& [cut, from, until] : {plan{"1@2-10", "0", "12"}, plan{"1@2-6", "3", "8"}}) {
    const auto ended = cut_on_time(words{"--hosts", "2", "--ranks-per-host", "2", "--cut", cut},
                                   words{ORIEL_MENDED_LINK, from, until});
    faulty_job& job = *ended;
    EXPECT_EQ(job.status(), 0) << job.output;
    for (int r = 0; r < 4; ++r) EXPECT_TRUE(job.said(r, "met success")) << job.output;
    EXPECT_NE(job.output.find(" 0 wrong"), std::string::npos) << job.output;
  }
}

// Without ORIEL_TIMEOUT the others go on without the host; its rank gets the error when it is back.
TEST(Cut, ThatIsLongerIsToldToTheHostThatComesBack) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
#ifdef __SANITIZE_THREAD__
  constexpr int opened = 9;
#else
  constexpr int opened = 4;
#endif
  const std::string cut = "2@" + std::to_string(opened) + "-" + std::to_string(opened + 9);
  const auto ended = cut_on_time(words{"--hosts", "3", "--cut", cut},
                                 words{ORIEL_MENDED_LINK, "0", std::to_string(opened + 13)});
  faulty_job& job = *ended;
  EXPECT_EQ(job.status(), 0) << job.output;
  for (int r = 0; r < 3; ++r) {
    EXPECT_TRUE(job.said(r, "met peer_failed")) << job.output;
    EXPECT_LT(job.seconds(r, "met "), job.late() + 11) << job.output;
  }
  for (int r = 0; r < 2; ++r) {
    EXPECT_TRUE(job.said(r, "is left with 2")) << job.output;
    EXPECT_TRUE(job.said(r, "came to success")) << job.output;
  }
  const std::string came = job.line(2, "came to ");
  EXPECT_NE(came.find("peer_failed"), std::string::npos) << job.output;
  EXPECT_NE(came.find("have declared this rank failed"), std::string::npos) << job.output;
}

INSTANTIATE_TEST_SUITE_P(Works, CutFor,
                         ::testing::Values("barrier", "fence", "lock", "flush", "waiting"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace oriel::testing
