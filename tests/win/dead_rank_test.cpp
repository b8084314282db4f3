// A rank that dies while windows are built: an error for the others, soon, and nothing left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "oriel/oriel.hpp"
#include "session/session_state.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/job.hpp"
#include "tests/win/outlived_rank.hpp"

namespace oriel::testing {
namespace {

// Returns 0 where it is an error, that names the rank, and nothing is left; `early`: the other has
// died before.
int build_beside_the_dead(int r, bool early) {
  setenv("ORIEL_TIMEOUT", "10", 1);
  try {
    session s;
    const std::size_t descriptors = open_descriptors();
    const std::size_t used = s.state()->memory().used();
    if (r == 1 && early) kill(getpid(), SIGKILL);
    auto first = window<int>::allocate(s.world(), 1000, assertion::fence);
    if (r == 1) kill(getpid(), SIGKILL);
    const thrown t =
        catch_error([&] { window<int>::allocate(s.world(), 1 << 20, assertion::fence); });
    EXPECT_EQ(t.code, errc::peer_failed);
    EXPECT_EQ(first.fence().code(), errc::peer_failed);
    static_cast<void>(first.free());
    const bool clean = open_descriptors() == descriptors && s.state()->memory().used() == used;
    return t.code == errc::peer_failed && t.text.find("rank 1") != std::string::npos && clean ? 0
                                                                                              : 5;
  } catch (const error& e) {
    return early && e.code() == errc::peer_failed ? 0 : 6;
  }
}

TEST(DeadRank, IsAnErrorInBoundedTime) {
  for (const bool before : {true, false}) {
    const auto start = std::chrono::steady_clock::now();
    expect_rank_0_outlives_rank_1(true, [&](int r) { return build_beside_the_dead(r, before); });
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

int wait_for_the_dead(int r) {
  session s;
  auto w = window<int, assertion_set(assertion::notify)>::allocate(s.world(), 4);
  if (r == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until rank 0 sleeps
    kill(getpid(), SIGKILL);
  }
  std::size_t came = 99;
  const status met = w.wait_notify_any(2, std::array<std::uint64_t, 2>{1, 1}, came);
  static_cast<void>(w.free());
  return met.code() == errc::peer_failed && came == 99 ? 0 : 4;
}

// On one node, and between two.
TEST(DeadRank, EndsAWaitForAnyOfSeveralCounters) {
  for (const bool on_one_node : {true, false}) {
    const auto start = std::chrono::steady_clock::now();
    expect_rank_0_outlives_rank_1(on_one_node, wait_for_the_dead);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace oriel::testing
