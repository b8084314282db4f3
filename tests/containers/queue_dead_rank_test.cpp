// A rank that dies in a phase of a queue: an error for the others, soon, in what they do with its
// part on another node and when they end the phase.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <vector>

#include "oriel/queue.hpp"
#include "oriel/session.hpp"
#include "tests/support/job.hpp"
#include "tests/win/outlived_rank.hpp"

namespace oriel::testing {
namespace {

template <class Open>
int end_beside_the_dead(int r, bool far, Open open) {
  setenv("ORIEL_TIMEOUT", "10", 1);
  session s;
  queue<std::uint64_t> q(s.world(), 100);
  q.push_only().push(rank{1}, std::vector<std::uint64_t>{1, 2, 3}).outcome.or_throw();
  auto p = open(q);
  std::uint64_t value = 0;
  EXPECT_EQ(p.pop(rank{1}, value).count, 1u);
  s.world().barrier().or_throw();
  if (r == 1) kill(getpid(), SIGKILL);
  while (s.world().barrier().ok()) {
  }
  errc met = errc::success;
  if (far) {
    const bulk_result popped = p.pop(rank{1}, value);
    met = popped.outcome.code();
    EXPECT_EQ(popped.count, 0u);
    EXPECT_EQ(met, errc::peer_failed) << q.failure();
  }
  const status ended = p.end();
  EXPECT_EQ(ended.code(), errc::peer_failed);
  EXPECT_EQ(catch_error([&] { q.clear(); }).code, errc::peer_failed);
  EXPECT_EQ(catch_error([&] { static_cast<void>(q.size()); }).code, errc::peer_failed);
  const bool right =
      ended.code() == errc::peer_failed && met == (far ? errc::peer_failed : errc::success);
  return right && !::testing::Test::HasFailure() ? 0 : 5;
}

TEST(QueueBesideTheDead, EndsItsPhaseInBoundedTime) {
  for (const bool far : {false, true}) {
    const auto start = std::chrono::steady_clock::now();
    expect_rank_0_outlives_rank_1(!far, [&](int r) {
      return end_beside_the_dead(r, far, [](auto& q) { return q.pop_only(); });
    });
    expect_rank_0_outlives_rank_1(!far, [&](int r) {
      return end_beside_the_dead(r, far, [](auto& q) { return q.mixed(); });
    });
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace oriel::testing
