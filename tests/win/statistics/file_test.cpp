// ORIEL_STATS=FILE as its user sees it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/scoped_folder.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

using json = nlohmann::json;

class StatisticsFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder_ / "counted.jsonl"; }
  static std::string run(const std::string& file, std::vector<std::string> options) {
    const scoped_variable into("ORIEL_STATS", file.c_str());
    options.insert(options.end(), {"--timeout", "30", ORIEL_COUNTING_RANK});
    launched_program job(ORIEL_RUN, options);
    EXPECT_EQ(job.status(), 0) << job.output;
    return job.output;
  }
  [[nodiscard]] std::vector<json> lines() const {
    std::vector<json> all;
    std::ifstream in(file());
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }

  scoped_folder folder_;
};

TEST_F(StatisticsFile, HasALineAWindowAndRankAndOneAtTheEnd) {
  run(file(), {"-n", "2"});
  std::set<std::string> seen;
  std::set<int> ended;
  for (const json& line : lines()) {
    const json puts = line["operations"]["put"]["self"];
    const unsigned windows = line.value("windows", 1u);
    EXPECT_EQ(puts["operations"], 13u * windows) << line;
    EXPECT_EQ(puts["bytes"], (10u * 4 + 3 * 400) * windows) << line;
    EXPECT_EQ(line["by_size"]["8"], 10u * windows) << line;
    EXPECT_EQ(line["by_size"]["512"], 3u * windows) << line;
    if (line.contains("windows"))
      EXPECT_TRUE(ended.insert(line["rank"].get<int>()).second) << line;
    else
      seen.insert(std::to_string(line["rank"].get<int>()) + line["window"].get<std::string>());
  }
  // As much as is kept of the name, character by character.
  std::string second = "the \"second\"";
  for (int i = 0; i < 25; ++i) second += "\u00e9";
  EXPECT_EQ(seen, (std::set<std::string>{"0first?", "1first?", "0" + second, "1" + second}));
  EXPECT_EQ(ended, (std::set<int>{0, 1}));
}

TEST_F(StatisticsFile, IsSummedUpByOrielInfo) {
  run(file(), {"-n", "2"});
  run(file(), {"-n", "1"});
  launched_program table(ORIEL_INFO, {"--statistics", file()});
  EXPECT_EQ(table.status(), 0) << table.output;
  EXPECT_NE(table.output.find("2 ranks, 4 windows of ranks"), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("1 ranks, 2 windows of ranks"), std::string::npos) << table.output;
  // 4 windows of ranks with 13 puts, of 1240 bytes together
  EXPECT_NE(table.output.find("            52             4960"), std::string::npos)
      << table.output;
}

// At the end of a job, of that job alone.
TEST_F(StatisticsFile, IsSummedUpByTheLauncher) {
  const std::string first = run(file(), {"-n", "2"});
  EXPECT_NE(first.find("2 ranks, 4 windows of ranks"), std::string::npos) << first;
  EXPECT_NE(first.find("            52             4960"), std::string::npos) << first;
  const std::string second = run(file(), {"-n", "1"});
  EXPECT_NE(second.find("1 ranks, 2 windows of ranks"), std::string::npos) << second;
  EXPECT_EQ(second.find("2 ranks"), std::string::npos) << second;
  EXPECT_EQ(run("/dev/null", {"-n", "1"}).find("windows of ranks"), std::string::npos);
}

#ifdef ORIEL_STRICT_PROVIDER
TEST_F(StatisticsFile, HasTheRetriesOfABusyProvider) {
  const scoped_variable strict("LD_PRELOAD", ORIEL_STRICT_PROVIDER);
  const scoped_variable provider("ORIEL_FABRIC", "tcp;ofi_rxm");
  const scoped_variable busy("STRICT_PROVIDER_REFUSES", "3");
  run(file(), {"-n", "2", "--nodes", "2"});
  std::uint64_t of_windows = 0, of_ranks = 0;
  for (const json& line : lines())
    (line.contains("windows") ? of_ranks : of_windows) += line.value("retries", 0u);
  EXPECT_GE(of_windows, 4u) << "two fences of two windows on two ranks";
  EXPECT_EQ(of_ranks, of_windows);
  launched_program table(ORIEL_INFO, {"--statistics", file()});
  EXPECT_EQ(table.status(), 0) << table.output;
  EXPECT_NE(table.output.find("  " + std::to_string(of_ranks) + " retries of what the provider"),
            std::string::npos)
      << table.output;
}
#endif

// How often the job says something of its file.
int sentences_in(const std::string& said) {
  int n = 0;
  for (auto at = said.find("(ORIEL_STATS)"); at != std::string::npos;
       at = said.find("(ORIEL_STATS)", at + 1))
    ++n;
  return n;
}

TEST_F(StatisticsFile, ThatCannotBeWrittenIsOneSentenceOfTheJob) {
  const std::string none = folder_ / "no" / "such" / "folder";
  for (const char* nodes : {"1", "2"}) {
    const std::string said = run(none, {"-n", "3", "--nodes", nodes});
    EXPECT_NE(said.find("rank 2 is done"), std::string::npos) << said;
    EXPECT_NE(said.find("oriel: rank 0 cannot write its statistics to '" + none +
                        "' (ORIEL_STATS): No such file or directory, nor can 2 more"),
              std::string::npos)
        << said;
    EXPECT_EQ(sentences_in(said), 1) << said;
  }
}

TEST_F(StatisticsFile, ThatHasNoRoomIsOneSentenceOfTheNode) {
  const std::string said = run("/dev/full", {"-n", "3"});
  EXPECT_NE(said.find("rank 2 is done"), std::string::npos) << said;
  EXPECT_NE(said.find(" cannot write its statistics to '/dev/full' (ORIEL_STATS): No space left"),
            std::string::npos)
      << said;
  EXPECT_EQ(sentences_in(said), 1) << said;
}

TEST_F(StatisticsFile, MayBeAPipe) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  const scoped_variable into("ORIEL_STATS", file().c_str());
  launched_program job(ORIEL_RUN, {"-n", "1", "--timeout", "30", ORIEL_COUNTING_RANK});
  // A reader comes to an end where nothing has been written before the pipe was closed.
  for (std::size_t seen = 0; seen < 3;) {
    const auto found = lines();
    ASSERT_FALSE(found.empty());
    seen += found.size();
  }
  EXPECT_EQ(job.status(), 0) << job.output;
}

TEST_F(StatisticsFile, OfSomethingElseIsRefusedByOrielInfo) {
  std::ofstream(file()) << "{\"job\": \"1\", \"rank\": 0}\nnot JSON\n";
  launched_program table(ORIEL_INFO, {"--statistics", file()});
  EXPECT_EQ(table.status(), 2) << table.output;
  EXPECT_NE(table.output.find("line 2 of"), std::string::npos) << table.output;
}

}  // namespace
}  // namespace oriel::testing
