// A rank that dies while windows are built: an error for the others, soon, and nothing left behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "oriel/oriel.hpp"
#include "session/session_state.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

// In processes of their own: a job of two, by the rendezvous' environment.
TEST(DeadRank, IsAnErrorInBoundedTime) {
  for (const bool before : {true, false}) {
    const int port = 20000 + getpid() % 20000 + (before ? 0 : 1);
    std::array<pid_t, 2> children{};
    for (int r = 0; r < 2; ++r) {
      children[static_cast<std::size_t>(r)] = fork();
      if (children[static_cast<std::size_t>(r)] != 0) continue;
      alarm(20);
      setenv("ORIEL_RANK", std::to_string(r).c_str(), 1);
      setenv("ORIEL_SIZE", "2", 1);
      setenv("ORIEL_ROOT", ("127.0.0.1:" + std::to_string(port)).c_str(), 1);
      setenv("ORIEL_TIMEOUT", "10", 1);
      int code = 3;
      try {
        session s;
        const std::size_t descriptors = open_descriptors();
        const std::size_t used = s.state()->memory().used();
        if (r == 1 && before) kill(getpid(), SIGKILL);
        auto first = window<int>::allocate(s.world(), 1000, assertion::fence);
        if (r == 1) kill(getpid(), SIGKILL);
        code = 4;
        const thrown t =
            catch_error([&] { window<int>::allocate(s.world(), 1 << 20, assertion::fence); });
        EXPECT_EQ(t.code, errc::peer_failed);
        EXPECT_EQ(first.fence().code(), errc::peer_failed);
        static_cast<void>(first.free());
        const bool clean = open_descriptors() == descriptors && s.state()->memory().used() == used;
        code = t.code == errc::peer_failed && t.text.find("rank 1") != std::string::npos && clean
                   ? 0
                   : 5;
      } catch (const error& e) {
        code = before && e.code() == errc::peer_failed ? 0 : 6;
      }
      _exit(code);
    }
    const auto start = std::chrono::steady_clock::now();
    int how = 0;
    waitpid(children[1], &how, 0);
    EXPECT_TRUE(WIFSIGNALED(how));
    waitpid(children[0], &how, 0);
    EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << WEXITSTATUS(how);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

// On one node, and between two.
TEST(DeadRank, EndsAWaitForAnyOfSeveralCounters) {
  for (const bool on_one_node : {true, false}) {
    const int port = 20000 + getpid() % 20000 + (on_one_node ? 2 : 3);
    std::array<pid_t, 2> children{};
    for (int r = 0; r < 2; ++r) {
      children[static_cast<std::size_t>(r)] = fork();
      if (children[static_cast<std::size_t>(r)] != 0) continue;
      alarm(20);
      setenv("ORIEL_RANK", std::to_string(r).c_str(), 1);
      setenv("ORIEL_SIZE", "2", 1);
      setenv("ORIEL_ROOT", ("127.0.0.1:" + std::to_string(port)).c_str(), 1);
      if (!on_one_node) setenv("ORIEL_NODE_ID", std::to_string(r).c_str(), 1);
      int code = 3;
      try {
        session s;
        auto w = window<int, assertion_set(assertion::notify)>::allocate(s.world(), 4);
        if (r == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until rank 0 sleeps
          kill(getpid(), SIGKILL);
        }
        std::size_t came = 99;
        const status met = w.wait_notify_any(2, std::array<std::uint64_t, 2>{1, 1}, came);
        code = met.code() == errc::peer_failed && came == 99 ? 0 : 4;
        static_cast<void>(w.free());
      } catch (const error&) {
        code = 5;
      }
      _exit(code);
    }
    const auto start = std::chrono::steady_clock::now();
    int how = 0;
    waitpid(children[1], &how, 0);
    EXPECT_TRUE(WIFSIGNALED(how));
    waitpid(children[0], &how, 0);
    EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << WEXITSTATUS(how);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace oriel::testing
