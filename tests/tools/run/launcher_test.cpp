// oriel-run as its users see it: exit codes, output, signals, and nothing left running.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/oriel_run.hpp"

namespace oriel::testing {
namespace {

TEST(Launcher, StartsTheRanksOfAJob) {
  launched job(shell({"-n", "3"}, "echo $ORIEL_RANK/$ORIEL_SIZE/${#ORIEL_JOB_SECRET}"));
  EXPECT_EQ(job.status(), 0);
  for (const char* line : {"0/3/32\n", "1/3/32\n", "2/3/32\n"})
    EXPECT_NE(job.output.find(line), std::string::npos) << job.output;
}

TEST(Launcher, ReturnsTheFirstFailure) {
  EXPECT_EQ(launched(shell({"-n", "1"}, "exit 7")).status(), 7);
  EXPECT_EQ(launched(shell({"-n", "4"}, "[ $ORIEL_RANK = 2 ] && exit 5; sleep 20")).status(), 5);
  EXPECT_EQ(launched(shell({"-n", "2"}, "[ $ORIEL_RANK = 1 ] && kill -ABRT $$; sleep 20")).status(),
            128 + SIGABRT);
  EXPECT_EQ(launched(shell({"-n", "2"}, "exit 0")).status(), 0);
}

TEST(Launcher, ARankThatIsDoneEarlyEndsNothing) {
  launched job(shell({"-n", "2"}, "[ $ORIEL_RANK = 0 ] && exit 0; sleep 0.3; echo late"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_NE(job.output.find("late"), std::string::npos);
}

TEST(Launcher, SaysWhatItCannotDo) {
  launched missing({"-n", "2", "/no/such/program"});
  EXPECT_EQ(missing.status(), 127);
  EXPECT_NE(missing.output.find("cannot execute '/no/such/program'"), std::string::npos);
  for (const char* n : {"0", "-1", "5000", "x"}) {
    launched job({"-n", n, "true"});
    EXPECT_EQ(job.status(), 2) << n;
  }
  EXPECT_EQ(launched({"-n", "1"}).status(), 2);
  launched kinds({"-n", "1", "--memory-alloc-kinds", "mpi,,", "true"});
  EXPECT_EQ(kinds.status(), 2);
}

TEST(Launcher, HandsTheKindsOn) {
  launched job(
      shell({"-n", "1", "--memory-alloc-kinds", "system"}, "echo [$ORIEL_MEMORY_ALLOC_KINDS]"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output, "[system]\n");
}

TEST(Launcher, WhatItSaysBeatsWhatItInherits) {
  const scoped_variable secret("ORIEL_JOB_SECRET", "mine");
  const scoped_variable kinds("ORIEL_MEMORY_ALLOC_KINDS", "mpi");
  const scoped_variable node("ORIEL_NODE_ID", "outer");
  launched job(shell({"-n", "1", "--memory-alloc-kinds", "system"},
                     "echo ${#ORIEL_JOB_SECRET} $ORIEL_MEMORY_ALLOC_KINDS $ORIEL_NODE_ID"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output, "32 system outer\n");
}

TEST(Launcher, ShowsTheSecretToNoOtherUser) {
  launched job(shell({"-n", "2"},
                     "case $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ') in"
                     " *$ORIEL_JOB_SECRET*) echo shown ;; *oriel-run*) echo hidden ;; esac"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output, "hidden\nhidden\n");
}

TEST(Launcher, PretendsNodes) {
  const scoped_variable node("ORIEL_NODE_ID", "outer");
  launched job(shell({"-n", "5", "--nodes", "2"}, "echo $ORIEL_RANK $ORIEL_NODE_ID"));
  EXPECT_EQ(job.status(), 0);
  std::map<int, std::string> nodes;
  std::istringstream text(job.output);
  for (int r; text >> r;) text >> nodes[r];
  ASSERT_EQ(nodes.size(), 5u) << job.output;
  EXPECT_EQ(nodes[0], "node0-" + std::to_string(job.pid()));
  EXPECT_EQ(nodes[3], "node1-" + std::to_string(job.pid()));
  EXPECT_TRUE(nodes[0] == nodes[1] && nodes[1] == nodes[2] && nodes[3] == nodes[4]);

  launched many(shell({"-n", "2", "--nodes", "3"}, "true"));
  EXPECT_EQ(many.status(), 2);
  EXPECT_NE(many.output.find("--nodes is 3 for 2 ranks; valid: 1 to 2"), std::string::npos)
      << many.output;
}

TEST(Launcher, RanksMeetBrokenPipesAsUsual) {
  EXPECT_EQ(launched(shell({"-n", "1"}, "kill -PIPE $$; exit 0")).status(), 128 + SIGPIPE);
}

TEST(Launcher, LeavesTheProgramsOwnOptionsAlone) {
  launched job({"-n", "1", "echo", "-n", "--tag", "x"});
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output, "--tag x");
}

TEST(Launcher, EndsItsOptionsAtTwoDashesAndPassesFurtherOnesOn) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"-n", "1", "--", "echo", "a"}, "a\n"},
      {{"-n", "1", "--", "echo", "a", "--", "b"}, "a -- b\n"},
      {{"-n", "1", "--", "echo", "--", "--", "b", "--"}, "-- -- b --\n"},
      {{"-n", "1", "echo", "--", "b", "--tag"}, "-- b --tag\n"},
      {{"-n1", "--bind=none", "--", "echo", "--tag"}, "--tag\n"},
      {{"-n", "1", "--", "echo", "[a]", "", "{b}"}, "[a]  {b}\n"}};
  for (const auto& [words, output] : cases) {
    launched job(words);
    EXPECT_EQ(job.status(), 0) << ::testing::PrintToString(words);
    EXPECT_EQ(job.output, output) << ::testing::PrintToString(words);
  }
  launched listing({"-n", "1", "--", "ls", "--", "/"});
  EXPECT_EQ(listing.status(), 0) << listing.output;
}

TEST(Launcher, RefusesWhatIsNoOptionOfItsOwn) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-n", "1", "--nonsense", "true"}, {"-n", "1", "--"}, {"-n"}})
    EXPECT_EQ(launched(words).status(), 2) << ::testing::PrintToString(words);
  launched help({"--help"});
  EXPECT_EQ(help.status(), 0);
  EXPECT_NE(help.output.find("--timeout"), std::string::npos) << help.output;
}

TEST(Launcher, EndsWhatTakesTooLong) {
  const auto start = clock::now();
  launched job(shell({"-n", "2", "--timeout", "0.3"}, "trap '' TERM; sleep 30; sleep 30"));
  EXPECT_EQ(job.status(), 124);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(5));
  EXPECT_NE(job.output.find("the job is not done after 0.3 s"), std::string::npos) << job.output;
  EXPECT_EQ(launched({"-n", "1", "--timeout", "20", "true"}).status(), 0);
  EXPECT_EQ(launched({"-n", "1", "--timeout", "0", "true"}).status(), 2);
}

TEST(Launcher, KeepsRanksToTheMachineUnlessToldOtherwise) {
  launched by_itself(shell({"-n", "1"}, "echo $ORIEL_INTERFACE"));
  EXPECT_EQ(by_itself.status(), 0);
  EXPECT_EQ(by_itself.output, "lo\n");
  const scoped_variable mine("ORIEL_INTERFACE", "eth0");
  launched told(shell({"-n", "1"}, "echo $ORIEL_INTERFACE"));
  EXPECT_EQ(told.status(), 0);
  EXPECT_EQ(told.output, "eth0\n");
}

// Libraries of psm, which Debian's libfabric brings, would take the signals of crashes.
TEST(Launcher, KeepsLibrariesFromTakingTheSignalsOfCrashes) {
  const std::string show = "echo $IPATH_NO_BACKTRACE $HFI_NO_BACKTRACE";
  launched by_itself(shell({"-n", "1"}, show));
  EXPECT_EQ(by_itself.status(), 0);
  EXPECT_EQ(by_itself.output, "1 1\n");
  const scoped_variable mine("HFI_NO_BACKTRACE", "mine");
  launched told(shell({"-n", "1"}, show));
  EXPECT_EQ(told.status(), 0);
  EXPECT_EQ(told.output, "1 mine\n");
}

// Also where the environment does not keep those libraries from it, as other launchers' does not.
TEST(Launcher, ReturnsTheSignalOfACrash) {
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const std::vector<std::string> crash{ORIEL_CRASHING_RANK, std::to_string(signal)};
    const auto with = [&crash](std::vector<std::string> words, const std::string& last = "") {
      words.insert(words.end(), crash.begin(), crash.end());
      if (!last.empty()) words.push_back(last);
      return words;
    };
    launched job(with({"-n", "2"}));
    EXPECT_EQ(job.status(), 128 + signal) << job.output;
    launched own(with({"-n", "2"}, "own"));
    EXPECT_EQ(own.status(), 3) << own.output;
    for (const std::string nodes : {"1", "2"}) {
      launched bare(with({"-n", "2", "--nodes", nodes, "env", "-u", "IPATH_NO_BACKTRACE", "-u",
                          "HFI_NO_BACKTRACE"}));
      EXPECT_EQ(bare.status(), 128 + signal) << nodes << " nodes: " << bare.output;
    }
  }
}

TEST(Launcher, EndsTheJobWithinASecondOfADeath) {
  launched job(shell({"-n", "3", "--tag"},
                     "trap '' TERM; sleep 30 & echo child $!; echo rank $$; wait; sleep 30"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.until("[" + std::to_string(i) + "] rank"));
  const auto ranks = pids_in(job.output, "rank");
  const auto children = pids_in(job.output, "child");
  ASSERT_EQ(ranks.size(), 3u);
  ASSERT_EQ(children.size(), 3u);
  kill(ranks[1], SIGKILL);
  const auto start = clock::now();
  EXPECT_EQ(job.status(), 128 + SIGKILL);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(1));
  for (const pid_t p : ranks) EXPECT_TRUE(ends_soon(p));
  for (const pid_t p : children) EXPECT_TRUE(ends_soon(p)) << "a rank's own child was left";
}

TEST(Launcher, ForwardsSignals) {
  launched usr(shell({"-n", "2", "--tag"},
                     "trap 'echo got; exit 3' USR1; echo ready; while :; do sleep 0.05; done"));
  ASSERT_TRUE(usr.until("[0] ready") && usr.until("[1] ready"));
  kill(usr.pid(), SIGUSR1);
  EXPECT_EQ(usr.status(), 3);
  EXPECT_NE(usr.output.find("got"), std::string::npos);

  launched term(shell({"-n", "2", "--tag"}, "echo ready; exec sleep 30"));
  ASSERT_TRUE(term.until("[0] ready") && term.until("[1] ready"));
  const auto start = clock::now();
  kill(term.pid(), SIGTERM);
  EXPECT_EQ(term.status(), 128 + SIGTERM);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(1));
}

TEST(Launcher, TakesItsRanksAlongWhenKilled) {
  launched job(shell({"-n", "2"}, "echo rank $$; exec sleep 30"));
  ASSERT_TRUE(job.until("rank"));
  while (pids_in(job.output + " ", "rank").size() < 2) ASSERT_TRUE(job.until("\nrank"));
  const auto ranks = pids_in(job.output, "rank");
  kill(job.pid(), SIGKILL);
  for (const pid_t p : ranks) EXPECT_TRUE(ends_soon(p));
}

TEST(Launcher, TagsWholeLines) {
  // Long lines in pieces, from four ranks at once, the last without its end.
  launched job(shell({"-n", "4", "--tag"},
                     "i=0; while [ $i -lt 30 ]; do"
                     " head -c 50000 /dev/zero | tr '\\0' $ORIEL_RANK; printf $ORIEL_RANK; echo;"
                     " i=$((i+1)); done; printf end"));
  EXPECT_EQ(job.status(), 0);
  std::map<char, int> lines, ends;
  std::istringstream text(job.output);
  for (std::string line; std::getline(text, line);) {
    ASSERT_EQ(line[0], '[');
    const char r = line[1];
    ASSERT_EQ(line.substr(2, 2), "] ");
    if (line.substr(4) == "end") {
      ++ends[r];
      continue;
    }
    ASSERT_EQ(line.size(), 4u + 50001u);
    ASSERT_EQ(line.find_first_not_of(r, 4), std::string::npos) << "lines are mixed";
    ++lines[r];
  }
  for (const char r : {'0', '1', '2', '3'}) {
    EXPECT_EQ(lines[r], 30);
    EXPECT_EQ(ends[r], 1);
  }
}

TEST(Launcher, InputGoesToRankZero) {
  launched job(shell({"-n", "2"}, "[ $ORIEL_RANK = 0 ] || wc -c"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output.find('0') != std::string::npos, true) << job.output;
}

TEST(Launcher, BindsToCores) {
  launched none(shell({"-n", "1", "--bind", "none"}, "nproc"));
  EXPECT_EQ(none.status(), 0);
  launched core(shell({"-n", "1", "--bind", "core"}, "nproc"));
  EXPECT_EQ(core.status(), 0);
  EXPECT_EQ(core.output, "1\n");
}

TEST(Launcher, StartsManyRanks) {
  const auto start = clock::now();
  EXPECT_EQ(launched({"-n", "128", "true"}).status(), 0);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(10));
}

// poll is not to look at more than there may be.
TEST(Launcher, EndsWhateverDescriptorsItMayHave) {
  for (const auto& [ranks, status] : {std::pair{24, 0}, {80, 1}}) {
    launched_program job("/bin/sh", {"-c", "ulimit -n 64; exec " + std::string(ORIEL_RUN) + " -n " +
                                               std::to_string(ranks) + " true"});
    EXPECT_EQ(job.status(), status) << job.output;
    EXPECT_EQ(job.output.find("cannot start rank") != std::string::npos, status != 0) << job.output;
  }
}

}  // namespace
}  // namespace oriel::testing
