// oriel-info --topology --svg, as its user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/scoped_folder.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr, ::testing::Not;

class drawing : public ::testing::Test {
 protected:
  static bool has_lstopo() {
    return std::system(
               "lstopo-no-graphics --version >/dev/null 2>&1 || lstopo --version >/dev/null "
               "2>&1") == 0;
  }
  [[nodiscard]] std::string file() const { return folder_ / "machine.svg"; }
  [[nodiscard]] std::string picture() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  scoped_folder folder_;
};

// How often `what` is in `text`.
int times(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_F(drawing, IsOfTheMachineThatOrielSees) {
  if (!has_lstopo()) GTEST_SKIP() << "there is no lstopo (Debian: hwloc, hwloc-nox)";
  const scoped_variable machine("HWLOC_SYNTHETIC", "pack:3 core:2 pu:1");
  launched_program info(ORIEL_INFO, {"--topology", "--svg", file()});
  EXPECT_EQ(info.status(), 0) << info.output;
  EXPECT_THAT(info.output, HasSubstr("drawn in"));
  EXPECT_THAT(info.output, HasSubstr(file()));
  const std::string svg = picture();
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_EQ(times(svg, "_rect' class='Package'"), 3) << svg;
  EXPECT_EQ(times(svg, "_rect' class='Core'"), 6);
  EXPECT_THAT(svg, HasSubstr("oriel: 6 cores, 6 processors, "));
}

TEST_F(drawing, ShowsWhereTheRanksOfAJobMayRun) {
  if (!has_lstopo()) GTEST_SKIP() << "there is no lstopo (Debian: hwloc, hwloc-nox)";
  launched_program job(ORIEL_RUN,
                       {"-n", "2", "--bind", "core", "--timeout", "50", ORIEL_STUCK_RANK, "fence"});
  for (const char* began : {"rank 0 began", "rank 1 began"})
    ASSERT_TRUE(job.until(began)) << job.output;
  const scoped_variable machine("HWLOC_SYNTHETIC", "core:16 pu:1");
  launched_program info(
      ORIEL_INFO, {"--topology", "--json", "--svg", file(), "--job", std::to_string(job.pid())});
  ASSERT_EQ(info.status(), 0) << info.output;
  EXPECT_EQ(nlohmann::json::parse(info.output)["topology"]["drawing"], file());
  const std::string svg = picture();
  for (const char* rank : {"rank 0, process ", "rank 1, process "})
    EXPECT_EQ(times(svg, rank), 1) << svg;
  EXPECT_EQ(times(svg, "_rect' class='Core'"), 16) << "a core of each rank is drawn";
  EXPECT_THAT(svg, HasSubstr("ranks of the job of process " + std::to_string(job.pid()) + ": 2"));
}

TEST_F(drawing, IsRefusedWithoutLstopo) {
  launched_program info("/usr/bin/env", {"PATH=" + folder_.path().string(), ORIEL_INFO,
                                         "--topology", "--svg", file()});
  EXPECT_EQ(info.status(), 2);
  EXPECT_THAT(info.output, HasSubstr("--svg needs lstopo, hwloc's program that draws"));
  EXPECT_FALSE(fs::exists(file()));
}

// Where a program of lstopo's name does what `script` says.
std::string path_with(const fs::path& folder, const std::string& script) {
  const fs::path program = folder / "lstopo-no-graphics";
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(program, fs::perms::owner_all);
  return "PATH=" + folder.string() + ":/usr/bin:/bin";
}

TEST_F(drawing, TellsWhatLstopoComplainsOf) {
  launched_program info("/usr/bin/env", {path_with(folder_.path(), "echo 'no ink' >&2; exit 3"),
                                         ORIEL_INFO, "--topology", "--svg", file()});
  EXPECT_EQ(info.status(), 2);
  EXPECT_THAT(info.output, HasSubstr("lstopo draws nothing: no ink"));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(drawing, GoesToAFileThatCanBeWritten) {
  launched_program info("/usr/bin/env",
                        {path_with(folder_.path(), "echo '<svg></svg>'"), ORIEL_INFO, "--topology",
                         "--svg", folder_ / "none" / "machine.svg"});
  EXPECT_EQ(info.status(), 2);
  EXPECT_THAT(info.output, HasSubstr("machine.svg: No such file or directory"));
}

TEST_F(drawing, NeedsTheSection) {
  EXPECT_EQ(launched_program(ORIEL_INFO, {"--svg", file()}).status(), 2);
  EXPECT_EQ(launched_program(ORIEL_INFO, {"--topology", "--job", "1"}).status(), 2);
  EXPECT_FALSE(fs::exists(file()));
}

}  // namespace
}  // namespace oriel::testing
