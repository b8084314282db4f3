// A few jobs of the random-fault suite; ORIEL_TEST_SEED=N has others. A seed repeats what can be
// repeated: who dies, in which call, and what everyone does until then.
#include <gtest/gtest.h>

#include "tests/faults/random/campaign.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

constexpr std::uint64_t jobs = 18;  // some 25 deaths

void expect_ok(const fault_plan& plan, const judgement& j) {
  EXPECT_EQ(j.what, verdict::ok) << name(j.what) << ": " << described(plan) << "\n"
                                 << j.text << "  repeat it: " << repeated_by(plan);
}

TEST(RandomFaults, LeaveOneTeamThatLosesNothing) {
  const std::uint64_t first = seed_or(1);
  RecordProperty("seed", std::to_string(first));
  std::uint64_t turn = 0;
  run_jobs(
      8, {ORIEL_HOSTS, ORIEL_RANDOM_RANK},
      [&]() -> std::optional<fault_plan> {
        if (turn == jobs) return std::nullopt;
        ++turn;
        return make_plan(first + turn - 1, shape_of_turn(turn - 1));
      },
      expect_ok);
}

// Operations that travel many in a message are performed by any process of a node: not by one that
// frees the window, since the memory is its owner's again then. One time in five it went wrong.
TEST(RandomFaults, LeaveMemoryAloneThatWasFreed) {
  constexpr std::uint64_t seed = 9342;
  int left = 8;
  run_jobs(
      2, {ORIEL_HOSTS, ORIEL_RANDOM_RANK},
      [&]() -> std::optional<fault_plan> {
        if (left-- == 0) return std::nullopt;
        return make_plan(seed, {.ranks = 6, .hosts = 3});
      },
      expect_ok);
}

}  // namespace
}  // namespace oriel::testing
