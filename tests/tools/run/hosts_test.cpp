// oriel-hosts as its users see it: where ranks run, what breaks on demand, and nothing left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

namespace fs = std::filesystem;

class launched : public launched_program {
 public:
  explicit launched(std::vector<std::string> arguments)
      : launched_program(ORIEL_HOSTS, std::move(arguments)) {}
};

bool namespaces_permitted() {
  static const bool permitted =
      launched({"--hosts", "2", "--require-namespaces", "true"}).status() == 0;
  return permitted;
}

std::string target_of(const fs::path& link) {
  std::error_code ignored;
  return fs::read_symlink(link, ignored).string();
}

// What each rank printed after its number.
std::map<int, std::vector<std::string>> words_by_rank(const std::string& output) {
  std::map<int, std::vector<std::string>> words;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    std::istringstream in(line);
    int rank = -1;
    if (!(in >> rank)) continue;
    for (std::string w; in >> w;) words[rank].push_back(w);
  }
  return words;
}

TEST(Hosts, RanksRunHostByHost) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const scoped_variable inherited("ORIEL_NODE_ID", "outer");
  launched job(shell({"--hosts", "3", "--ranks-per-host", "2", "--"},
                     "echo $ORIEL_RANK $(readlink /proc/self/ns/net) $ORIEL_SIZE ${ORIEL_ROOT%:*} "
                     "$(ip -o -4 address show eth0 | sed 's/.*inet //;s/ .*//') $ORIEL_NODE_ID"));
  EXPECT_EQ(job.status(), 0);
  auto ranks = words_by_rank(job.output);
  ASSERT_EQ(ranks.size(), 6u) << job.output;
  std::set<std::string> spaces{target_of("/proc/self/ns/net")};
  for (int r = 0; r < 6; ++r) {
    const std::string address = "10.213.0." + std::to_string(r / 2 + 1) + "/24";
    ASSERT_EQ(ranks[r].size(), 4u) << job.output;
    EXPECT_EQ(ranks[r][1], "6");
    EXPECT_EQ(ranks[r][2], "10.213.0.1");
    EXPECT_EQ(ranks[r][3], address);
    EXPECT_EQ(ranks[r][0], ranks[r / 2 * 2][0]);
    spaces.insert(ranks[r][0]);
  }
  EXPECT_EQ(spaces.size(), 4u) << "three hosts and the one outside";
}

// The ranks of a larger job: 8 is on the first host, 12 and 18 are on the second.
TEST(Hosts, RanksAreJoinedOnTheirHosts) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  launched job(shell({"--hosts", "2", "--ranks-per-host", "10", "--"},
                     "echo $ORIEL_RANK ${ORIEL_PARENT%:*}"));
  EXPECT_EQ(job.status(), 0);
  auto ranks = words_by_rank(job.output);
  ASSERT_EQ(ranks.size(), 20u) << job.output;
  const std::string first = "10.213.0.1", second = "10.213.0.2";
  for (const auto& [rank, parents] :
       {std::pair{0, first}, {9, first}, {12, first}, {14, second}, {19, second}})
    EXPECT_EQ(ranks[rank], std::vector{parents}) << rank;
}

TEST(Hosts, ReturnsTheFirstFailure) {
  const auto start = clock::now();
  EXPECT_EQ(launched(shell({"--hosts", "2"}, "[ $ORIEL_RANK = 1 ] && exit 5; sleep 20")).status(),
            5);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(launched({"--hosts", "2", "/no/such/program"}).status(), 127);
}

TEST(Hosts, SaysWhatItCannotDo) {
  using words = std::vector<std::string>;
  for (const words& bad :
       {words{"--hosts", "0", "true"}, words{"--hosts", "300", "true"}, words{"--hosts", "2"},
        words{"--hosts", "100", "--ranks-per-host", "100", "true"},
        words{"--hosts", "2", "--kill", "2@1", "true"},
        words{"--hosts", "2", "--kill", "1", "true"},
        words{"--hosts", "2", "--cut", "1@-1", "true"},
        words{"--hosts", "2", "--cut", "x@1", "true"},
        words{"--hosts", "2", "--cut", "1@3-2", "true"},
        words{"--hosts", "2", "--cut", "1@3-", "true"},
        words{"--hosts", "2", "--kill", "1@3-5", "true"},
        words{"--hosts", "2", "--timeout", "0", "true"},
        words{"--hosts", "2", "--fallback", "--require-namespaces", "true"},
        words{"--hosts", "2", "--fallback", "--cut", "1@1", "true"}})
    EXPECT_EQ(launched(bad).status(), 2) << ::testing::PrintToString(bad);
  launched job({"--hosts", "2", "--kill", "2@1", "true"});
  EXPECT_EQ(job.status(), 2);
  EXPECT_NE(job.output.find("--kill is '2@1'; valid: a number from 0 to 1, @ and seconds"),
            std::string::npos)
      << job.output;
}

TEST(Hosts, PassesOnWhatFollowsTheProgram) {
  launched job({"--hosts", "1", "--fallback", "--", "echo", "a", "--", "b", "--tag"});
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(job.output, "a -- b --tag\n");
}

TEST(Hosts, EndsWhatTakesTooLong) {
  const auto start = clock::now();
  launched job(shell({"--hosts", "2", "--timeout", "0.3"}, "trap '' TERM; sleep 30; sleep 30"));
  EXPECT_EQ(job.status(), 124);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(5));
  EXPECT_NE(job.output.find("the job is not done after 0.3 s"), std::string::npos) << job.output;
}

TEST(Hosts, KillsARankAndLetsTheOthersGoOn) {
  launched job(shell({"--hosts", "2", "--ranks-per-host", "2", "--kill", "1@0.2", "--kill", "2@0"},
                     "case $ORIEL_RANK in 1|2) sleep 30 & echo child $!; wait;; esac; sleep 0.5; "
                     "echo late $ORIEL_RANK"));
  EXPECT_EQ(job.status(), 0);
  for (const int r : {0, 3})
    EXPECT_NE(job.output.find("late " + std::to_string(r)), std::string::npos) << job.output;
  for (const pid_t child : pids_in(job.output, "child")) EXPECT_TRUE(ends_soon(child));

  launched failing(shell({"--hosts", "3", "--kill", "0@0.1"},
                         "[ $ORIEL_RANK = 0 ] && sleep 30; [ $ORIEL_RANK = 1 ] && exit 7; "
                         "sleep 0.3; exit 3"));
  EXPECT_EQ(failing.status(), 7) << "the highest status, once all have ended";
}

TEST(Hosts, CutsAHostOff) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  launched job(shell({"--hosts", "2", "--cut", "1@1"},
                     "state() { ip -o link show eth0 | sed 's/.* state //;s/ .*//'; }; "
                     "before=$(state); i=0; "
                     "while [ $ORIEL_RANK = 1 ] && [ $(state) = UP ] && [ $i -lt 100 ]; "
                     "do sleep 0.05; i=$((i+1)); done; "
                     "[ $ORIEL_RANK = 1 ] || sleep 1.5; echo $ORIEL_RANK $before $(state)"));
  EXPECT_EQ(job.status(), 0);
  auto ranks = words_by_rank(job.output);
  EXPECT_EQ(ranks[0], (std::vector<std::string>{"UP", "UP"})) << job.output;
  EXPECT_EQ(ranks[1], (std::vector<std::string>{"UP", "DOWN"})) << job.output;
}

TEST(Hosts, SetsALinkUpAgain) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  launched job(shell({"--hosts", "2", "--cut", "1@1-2"},
                     "[ $ORIEL_RANK = 0 ] && exit; i=0; "
                     "until_is() { while ! ip -o link show eth0 | grep -q \"state $1\" && "
                     "[ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; "
                     "echo 1 $1 $(ip route show 10.213.0.0/24 | grep -c eth0); }; "
                     "until_is UP; until_is DOWN; until_is UP; echo 1 $((i < 200))"));
  EXPECT_EQ(job.status(), 0);
  EXPECT_EQ(words_by_rank(job.output)[1],
            (std::vector<std::string>{"UP", "1", "DOWN", "0", "UP", "1", "1"}))
      << job.output;
}

TEST(Hosts, PretendsThemWhenAsked) {
  launched job(shell({"--hosts", "2", "--ranks-per-host", "2", "--fallback"},
                     "echo $ORIEL_RANK $ORIEL_NODE_ID ${ORIEL_ROOT%:*} "
                     "$(readlink /proc/self/ns/net)"));
  EXPECT_EQ(job.status(), 0);
  auto ranks = words_by_rank(job.output);
  const std::string here = target_of("/proc/self/ns/net");
  for (int r = 0; r < 4; ++r) {
    const std::string node = "host" + std::to_string(r / 2) + "-" + std::to_string(job.pid());
    EXPECT_EQ(ranks[r], (std::vector<std::string>{node, "127.0.0.1", here})) << job.output;
  }
}

TEST(Hosts, SaysWhenItHasToPretend) {
  const auto without_namespaces = [](const std::string& options) {
    return std::vector<std::string>{"-c",
                                    "unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_net_namespaces "
                                    "&& exec " ORIEL_HOSTS " --hosts 2 " +
                                        options + " -- sh -c \"echo done\"'"};
  };
  if (launched_program("/bin/sh", {"-c", "unshare -Ur true"}).status() != 0)
    GTEST_SKIP() << "user namespaces are not permitted";
  launched_program fallen("/bin/sh", without_namespaces(""));
  EXPECT_EQ(fallen.status(), 0);
  EXPECT_NE(fallen.output.find("all hosts are pretended in one network namespace: this user may "
                               "not make network namespaces"),
            std::string::npos)
      << fallen.output;
  EXPECT_NE(fallen.output.find("done"), std::string::npos);
  launched_program refused("/bin/sh", without_namespaces("--require-namespaces"));
  EXPECT_EQ(refused.status(), 2);
  EXPECT_EQ(refused.output.find("done"), std::string::npos) << refused.output;
}

// The links of the namespace that the test runs in, and the namespaces that have names.
std::set<std::string> network_names() {
  std::set<std::string> names;
  for (const char* folder : {"/sys/class/net", "/run/netns"}) {
    std::error_code ignored;
    for (const auto& e : fs::directory_iterator(folder, ignored)) names.insert(e.path());
  }
  return names;
}

// The processes that are in namespace `space` or hold a descriptor of it.
std::vector<std::string> holders_of(const std::string& space) {
  std::vector<std::string> holders;
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (target_of(process.path() / "ns/net") == space) holders.push_back(process.path());
    for (const auto& fd : fs::directory_iterator(process.path() / "fd", ignored))
      if (target_of(fd.path()) == space) holders.push_back(fd.path());
  }
  return holders;
}

enum class ending { by_itself, on_sigterm, on_sigint, by_sigkill };
class HostsCleanup : public ::testing::TestWithParam<ending> {};

TEST_P(HostsCleanup, LeavesNothing) {
  if (!namespaces_permitted()) GTEST_SKIP() << "network namespaces are not permitted";
  const auto before = network_names();
  const bool lasts = GetParam() != ending::by_itself;
  launched job(shell({"--hosts", "2", "--ranks-per-host", "2", "--tag"},
                     "echo space $(readlink /proc/self/ns/net) rank $$ ready; " +
                         std::string(lasts ? "exec sleep 30" : "sleep 30 >/dev/null 2>&1 &")));
  for (int r = 0; r < 4; ++r) ASSERT_TRUE(job.until("[" + std::to_string(r) + "] space"));
  const auto start = clock::now();
  switch (GetParam()) {
    case ending::by_itself:
      EXPECT_EQ(job.status(), 0);
      break;
    case ending::on_sigterm:
      kill(job.pid(), SIGTERM);
      EXPECT_EQ(job.status(), 128 + SIGTERM);
      break;
    case ending::on_sigint:
      kill(job.pid(), SIGINT);
      EXPECT_EQ(job.status(), 128 + SIGINT);
      break;
    case ending::by_sigkill:
      kill(job.pid(), SIGKILL);
      EXPECT_EQ(job.status(), -SIGKILL);
      break;
  }
  EXPECT_LT(clock::now() - start, std::chrono::seconds(5));
  const auto ranks = pids_in(job.output, "rank");
  EXPECT_EQ(ranks.size(), 4u) << job.output;
  for (const pid_t p : ranks) EXPECT_TRUE(ends_soon(p));
  std::istringstream text(job.output);
  std::set<std::string> spaces;
  for (std::string w; text >> w;)
    if (w == "space" && text >> w) spaces.insert(w);
  EXPECT_EQ(spaces.size(), 2u);
  for (const std::string& space : spaces) {
    const auto end = clock::now() + std::chrono::seconds(2);
    while (!holders_of(space).empty() && clock::now() < end)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(holders_of(space), std::vector<std::string>()) << space;
  }
  for (const std::string& name : network_names()) EXPECT_TRUE(before.contains(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Endings, HostsCleanup,
                         ::testing::Values(ending::by_itself, ending::on_sigterm, ending::on_sigint,
                                           ending::by_sigkill));

}  // namespace
}  // namespace oriel::testing
