// oriel-info --watch and --stuck on jobs that hang, as their user sees it.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

using json = nlohmann::json;

struct answer {
  int status;
  std::string text;
};
answer ask(std::vector<std::string> options) {
  launched_program info(ORIEL_INFO, options);
  const int status = info.status();
  return {status, info.output};
}

// A job whose ranks have begun to hang.
std::unique_ptr<launched_program> hanging(const std::string& how, int ranks, int nodes) {
  auto job = std::make_unique<launched_program>(
      ORIEL_RUN,
      std::vector<std::string>{"-n", std::to_string(ranks), "--nodes", std::to_string(nodes),
                               "--timeout", "50", ORIEL_STUCK_RANK, how});
  for (int r = 0; r < ranks; ++r)
    EXPECT_TRUE(job->until("rank " + std::to_string(r) + " began")) << job->output;
  return job;
}

// What --stuck says once `waiting` ranks have fallen asleep.
answer stuck(const launched_program& job, int waiting) {
  const auto end = clock::now() + std::chrono::seconds(10);
  for (;;) {
    answer a = ask({"--stuck", std::to_string(job.pid())});
    int lines = 0;
    for (auto at = a.text.find(" waits for "); at != std::string::npos;
         at = a.text.find(" waits for ", at + 1))
      ++lines;
    if (lines >= waiting || clock::now() > end) return a;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

// What --stuck says of the wait of a rank; empty where it says nothing.
std::string wait_of(const answer& a, int rank) {
  const auto at = a.text.find("rank " + std::to_string(rank) + " (process ");
  if (at == std::string::npos) return "";
  const std::string line = a.text.substr(at, a.text.find('\n', at) - at);
  const auto in = line.find(" s in ");
  return in == std::string::npos ? line : line.substr(in + 6);
}

TEST(Stuck, TellsWhoHoldsTheLock) {
  const auto job = hanging("lock", 3, 1);
  const answer a = stuck(*job, 2);
  EXPECT_EQ(a.status, 1) << a.text;
  for (const char* rank : {"rank 0 (process ", "rank 2 (process "})
    EXPECT_NE(a.text.find(rank), std::string::npos) << a.text;
  EXPECT_NE(a.text.find("in window 'hanging': lock of rank 0, which rank 1 has"), std::string::npos)
      << a.text;
  EXPECT_NE(a.text.find("it is the turn of rank 1, process "), std::string::npos) << a.text;
  EXPECT_EQ(a.text.find("circle"), std::string::npos) << a.text;
}

TEST(Stuck, TellsWhoHasNotComeToAFence) {
  for (const int nodes : {1, 2}) {
    const auto job = hanging("fence", 2, nodes);
    const answer a = stuck(*job, 1);
    EXPECT_EQ(a.status, 1) << a.text;
    EXPECT_NE(a.text.find("in window 'hanging': fence"), std::string::npos) << a.text;
    EXPECT_NE(a.text.find("it is the turn of rank 0, process "), std::string::npos) << a.text;
  }
}

// Each rank alone on its node: whose lock it is knows of none who waits or has it.
TEST(Stuck, TellsWhoHoldsTheLockOfARankOfAnotherNode) {
  for (const int nodes : {1, 3}) {
    const auto job = hanging("held", 3, nodes);
    const answer a = stuck(*job, 1);
    EXPECT_EQ(wait_of(a, 1), "window 'hanging': lock of rank 0, which rank 2 has") << a.text;
    EXPECT_NE(a.text.find("it is the turn of rank 2, process "), std::string::npos) << a.text;
    EXPECT_EQ(a.text.find("turn of rank 0"), std::string::npos) << a.text;
  }
}

TEST(Stuck, TellsHowManyShareALock) {
  const auto job = hanging("shared", 3, 3);
  const answer a = stuck(*job, 1);
  EXPECT_EQ(wait_of(a, 1), "window 'hanging': lock of rank 0, which one rank shares") << a.text;
  EXPECT_EQ(a.text.find("turn"), std::string::npos) << a.text;
}

TEST(Stuck, TellsWhoKeepsALockFromBeingOneOnAllRanks) {
  for (const int nodes : {1, 3}) {
    const auto job = hanging("all", 3, nodes);
    const answer a = stuck(*job, 1);
    EXPECT_EQ(wait_of(a, 1), "window 'hanging': a lock on all ranks, of which rank 2 has one alone")
        << a.text;
    EXPECT_NE(a.text.find("it is the turn of rank 2, process "), std::string::npos) << a.text;
  }
}

TEST(Stuck, TellsForWhosePostAndCompletionARankWaits) {
  for (const int nodes : {1, 2}) {
    const auto starts = hanging("start", 4, nodes);
    EXPECT_EQ(wait_of(stuck(*starts, 1), 0), "window 'hanging': start, for the post of rank 3");
    const auto waits = hanging("wait", 4, nodes);
    EXPECT_EQ(wait_of(stuck(*waits, 1), 0), "window 'hanging': wait, for the completion of rank 3");
  }
}

TEST(Stuck, TellsOfARankOfAnotherNodeThatIsStopped) {
  const auto request = hanging("request", 2, 2);
  EXPECT_EQ(wait_of(stuck(*request, 1), 0), "request::wait, for rank 1");
  const auto epoch = hanging("complete", 3, 3);
  EXPECT_EQ(wait_of(stuck(*epoch, 1), 0), "window 'hanging': completion at rank 2");
}

TEST(Stuck, TellsWhoHasNotComeToACollectiveOfATeam) {
  const std::vector<std::pair<std::string, std::string>> calls{
      {"barrier", "team::barrier"},
      {"broadcast", "team::broadcast of 8 bytes from rank 0"},
      {"allocate", "window::allocate"},
      {"phase", "hash_map 'counts': phase begin"},
      {"rehash", "hash_map 'counts': rehash()"},
      {"make", "hash_map 'counts, which has a long name, of wh...': construction"}};
  for (const auto& [how, call] : calls) {
    const auto job = hanging(how, 3, 1);
    const answer a = stuck(*job, 2);
    EXPECT_EQ(a.status, 1) << a.text;
    for (const int r : {0, 1}) EXPECT_EQ(wait_of(a, r), call + ", for rank 2") << a.text;
    EXPECT_NE(a.text.find("it is the turn of rank 2, process "), std::string::npos) << a.text;
  }
}

TEST(Stuck, TellsOfCollectivesBetweenNodes) {
  const auto job = hanging("barrier", 4, 2);
  const answer a = stuck(*job, 3);
  EXPECT_EQ(wait_of(a, 0), "team::barrier, for rank 2") << a.text;
  EXPECT_EQ(wait_of(a, 1), "team::barrier, for rank 0") << a.text;
  EXPECT_EQ(wait_of(a, 2), "team::barrier, for rank 3") << a.text;
  EXPECT_NE(a.text.find("it is the turn of rank 3, process "), std::string::npos) << a.text;
  EXPECT_EQ(a.text.find("turn of rank 2"), std::string::npos) << a.text;
  EXPECT_EQ(a.text.find("circle"), std::string::npos) << a.text;
}

TEST(Stuck, ShowsWaitsThatPollTheNetwork) {
  const scoped_variable polls("ORIEL_FABRIC_WAIT", "poll");
  for (const char* how : {"barrier", "fence"}) {
    const auto job = hanging(how, 2, 2);
    const answer a = stuck(*job, 1);
    EXPECT_EQ(a.status, 1) << how << ": " << a.text;
    EXPECT_NE(a.text.find(how), std::string::npos) << a.text;
  }
}

TEST(Stuck, TellsHowManyHaveNotComeOfMoreRanksThanABarrierCountsOneByOne) {
  const auto job = hanging("half", 10, 1);
  const answer a = stuck(*job, 5);
  for (int r = 0; r < 5; ++r)
    EXPECT_EQ(wait_of(a, r), "team::barrier, for rank 5 and 4 more") << a.text;
  for (int r = 5; r < 10; ++r) EXPECT_EQ(wait_of(a, r), "") << a.text;
}

TEST(Stuck, TellsOfAShrink) {
  const auto job = hanging("shrink", 2, 1);
  const answer a = stuck(*job, 1);
  EXPECT_EQ(wait_of(a, 0).substr(0, 12), "team::shrink") << a.text;
}

TEST(Stuck, ForgetsACollectiveThatHasEnded) {
  const auto job = hanging("lock", 3, 1);  // after a barrier for which ranks have waited
  const answer a = stuck(*job, 2);
  EXPECT_EQ(wait_of(a, 1), "") << a.text;
  EXPECT_EQ(a.text.find("team::"), std::string::npos) << a.text;
}

TEST(Stuck, FindsACircle) {
  const auto job = hanging("circle", 3, 1);
  const answer a = stuck(*job, 2);
  EXPECT_NE(a.text.find("these wait for each other in a circle: rank 0, for rank 1, for rank 0"),
            std::string::npos)
      << a.text;
  EXPECT_EQ(a.text.find("turn"), std::string::npos) << a.text;
}

TEST(Watch, ShowsRanksWindowsAndWaitsOnce) {
  const auto job = hanging("lock", 2, 1);
  ASSERT_EQ(stuck(*job, 1).status, 1);
  const answer table = ask({"--watch", std::to_string(job->pid()), "--once"});
  EXPECT_EQ(table.status, 0) << table.text;
  EXPECT_NE(table.text.find("lock of rank 0, which rank 1 has, "), std::string::npos) << table.text;
  const answer parsed = ask({"--watch", std::to_string(job->pid()), "--once", "--json"});
  const json ranks = json::parse(parsed.text);
  ASSERT_EQ(ranks.size(), 2u);
  for (int r = 0; r < 2; ++r) {
    const json& rank = ranks[static_cast<std::size_t>(r)];
    EXPECT_EQ(rank["rank"], r);
    EXPECT_FALSE(rank["ended"].get<bool>());
    EXPECT_EQ(rank["waits_for"].size(), r == 0 ? 1u : 0u) << rank;
    // A rank's own process shows its node, too.
    const answer of_rank =
        ask({"--watch", std::to_string(rank["process"].get<int>()), "--once", "--json"});
    EXPECT_EQ(json::parse(of_rank.text).size(), 2u) << of_rank.text;
  }
  EXPECT_EQ(ranks[0]["waits_for"][0]["cause"], "lock");
  EXPECT_EQ(ranks[0]["waits_for"][0]["awaited"], 1);
  EXPECT_GT(ranks[0]["waits_for"][0]["seconds"].get<double>(), 0.0);
}

TEST(Watch, ShowsSingleElements) {
  const auto job = hanging("puts", 2, 1);
  const answer a = ask({"--watch", std::to_string(job->pid()), "--once", "--json"});
  const json ranks = json::parse(a.text);
  ASSERT_EQ(ranks.size(), 2u) << a.text;
  for (const json& rank : ranks) {
    ASSERT_EQ(rank["windows"].size(), 1u) << rank;
    EXPECT_EQ(rank["windows"][0]["operations"], 1000) << rank;
    EXPECT_EQ(rank["windows"][0]["bytes"], 4000) << rank;
  }
}

TEST(Watch, ShowsACollectiveOfATeamOnce) {
  const auto job = hanging("barrier", 2, 1);
  ASSERT_EQ(stuck(*job, 1).status, 1);
  const answer table = ask({"--watch", std::to_string(job->pid()), "--once"});
  const auto at = table.text.find("team::barrier, for rank 1, ");
  EXPECT_NE(at, std::string::npos) << table.text;
  EXPECT_EQ(table.text.find("team::", at + 1), std::string::npos) << table.text;
  const json ranks =
      json::parse(ask({"--watch", std::to_string(job->pid()), "--once", "--json"}).text);
  EXPECT_EQ(ranks[0]["waits_for"][0]["cause"], "team::barrier");
  EXPECT_EQ(ranks[0]["waits_for"][0]["awaited"], 1);
}

TEST(Watch, EndsWithTheJob) {
  auto job = hanging("fence", 2, 1);
  launched_program live(ORIEL_INFO, {"--watch", std::to_string(job->pid())});
  EXPECT_TRUE(live.until("hanging")) << live.output;
  const json ranks =
      json::parse(ask({"--watch", std::to_string(job->pid()), "--once", "--json"}).text);
  job.reset();
  for (const json& r : ranks) EXPECT_TRUE(ends_soon(r["process"].get<int>()));
  EXPECT_EQ(live.status(), 0) << live.output;
}

// Whose ranks have the same numbers.
TEST(Watch, RefusesAProcessThatHasStartedSeveralJobs) {
  const auto one = hanging("barrier", 2, 2), other = hanging("barrier", 2, 1);
  const answer a = ask({"--stuck", std::to_string(getpid())});
  EXPECT_EQ(a.status, 2) << a.text;
  EXPECT_NE(a.text.find("has started several jobs, whose ranks 0 are the processes "),
            std::string::npos)
      << a.text;
  EXPECT_EQ(stuck(*one, 1).status, 1);
}

TEST(Watch, RefusesWhatIsNoProcess) {
  for (const char* option : {"--watch", "--stuck"})
    for (const char* none : {"0", "-1", "job"}) {
      const answer a = ask({option, none});
      EXPECT_EQ(a.status, 2) << a.text;
      EXPECT_NE(a.text.find(option), std::string::npos) << a.text;
    }
}

TEST(Watch, RefusesAProcessThatIsInNoJob) {
  launched_program other("/bin/sleep", {"30"});
  for (const char* option : {"--watch", "--stuck"}) {
    const answer a = ask({option, std::to_string(other.pid())});
    EXPECT_EQ(a.status, 2) << a.text;
    EXPECT_NE(a.text.find("is no rank of a job that is open"), std::string::npos) << a.text;
  }
}

}  // namespace
}  // namespace oriel::testing
