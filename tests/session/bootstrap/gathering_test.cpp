// Gathers of a job that is a tree: what they cost each rank, and that all hear of a rank that dies
// or does not come.
#include "session/bootstrap/gathering.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <memory>

#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::rendezvous;
using sessions::traffic;

std::string part_of(int rank) {
  return std::string(static_cast<std::size_t>(rank), static_cast<char>('a' + rank % 26));
}

void expect_all(const std::vector<std::string>& all, int ranks) {
  ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r)
    ASSERT_EQ(all[static_cast<std::size_t>(r)], part_of(r)) << "of rank " << r;
}

struct counts {
  traffic opened, then;
};
std::vector<counts> messages_of(int ranks, int gathers) {
  const star job(ranks, 30);
  std::vector<counts> all(static_cast<std::size_t>(ranks));
  for (const thrown& t : in_threads(ranks, [&](int r) {
         rendezvous mine(job.rank(r));
         counts& here = all[static_cast<std::size_t>(r)];
         here.opened = mine.messages();
         for (int i = 0; i < gathers; ++i) expect_all(mine.allgather(part_of(r)), ranks);
         here.then = mine.messages();
       }))
    EXPECT_EQ(t.code, errc::success) << t.text;
  return all;
}

TEST(Gathering, TakesNoMoreMessagesOfAnyRankThanTheLogarithm) {
  constexpr int gathers = 3;
  for (const auto& [ranks, logarithm] : {std::pair{17, 5}, {64, 6}, {100, 7}}) {
    const auto all = messages_of(ranks, gathers);
    const counts& root = all[0];
    // Once to each rank that all are there, and up and down the tree that they are one.
    EXPECT_EQ(root.opened.sent, ranks - 1 + logarithm) << ranks;
    EXPECT_EQ(root.opened.received, logarithm) << ranks;
    for (const counts& c : all) {
      EXPECT_LE(c.then.sent - c.opened.sent, gathers * logarithm) << ranks;
      EXPECT_LE(c.then.received - c.opened.received, gathers * logarithm) << ranks;
    }
  }
}

TEST(Gathering, OfFewRanksIsAStar) {
  const auto all = messages_of(sessions::largest_star, 1);
  EXPECT_EQ(all[0].then.received, sessions::largest_star - 1);
  for (std::size_t r = 1; r < all.size(); ++r) EXPECT_EQ(all[r].then.sent, 1);
}

// More than the sockets hold, so that ranks meet while they send.
TEST(Gathering, TakesLongParts) {
  constexpr int ranks = 20;
  constexpr std::size_t length = 150'000;
  const star job(ranks, 60);
  for (const thrown& t : in_threads(ranks, [&](int r) {
         rendezvous mine(job.rank(r));
         const auto all = mine.allgather(std::string(length, static_cast<char>('a' + r)));
         ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
         for (int i = 0; i < ranks; ++i)
           ASSERT_EQ(all[static_cast<std::size_t>(i)],
                     std::string(length, static_cast<char>('a' + i)));
       }))
    EXPECT_EQ(t.code, errc::success) << t.text;
}

// What all the others meet when `victim`, which has gathered once, dies or stays away.
enum class fault { dies, stays_away };
void expect_all_name(int victim, fault how, errc code, const std::string& what) {
  // Of one that stays away ranks hear a twelfth of the time-out after each other, level by level:
  // so much may a busy machine hold one up.
  constexpr int ranks = 40;
  const int timeout_s = how == fault::dies ? 20 : 5;
  const star job(ranks, timeout_s);
  std::atomic<int> left{ranks - 1};
  std::barrier gathered(ranks);
  std::vector<double> took(ranks);
  const auto results = in_threads(ranks, [&](int r) {
    auto mine = std::make_unique<rendezvous>(job.rank(r));
    expect_all(mine->allgather(part_of(r)), ranks);
    gathered.arrive_and_wait();
    if (r == victim) {
      if (how == fault::dies) mine.reset();
      for (int n = left; n > 0; n = left) left.wait(n);
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    const thrown met = catch_error([&] { mine->allgather(part_of(r)); });
    took[static_cast<std::size_t>(r)] = seconds_since(begin);
    mine.reset();
    --left;
    left.notify_all();
    if (met.code != errc::success) throw error(met.code, met.text);
  });
  for (int r = 0; r < ranks; ++r) {
    if (r == victim) continue;
    const thrown& met = results[static_cast<std::size_t>(r)];
    EXPECT_EQ(met.code, code) << "on rank " << r;
    EXPECT_EQ(met.text, "rank " + std::to_string(victim) + what) << "on rank " << r;
    EXPECT_LT(took[static_cast<std::size_t>(r)], how == fault::dies ? 5 : 2 * timeout_s + 1) << r;
  }
}

// At the root, amid the tree (below 32, above 37 and 38), at its end.
TEST(Gathering, NamesARankThatDiesOnAllThatAreLeft) {
  for (const int victim : {0, 32, 36, 39})
    expect_all_name(victim, fault::dies, errc::peer_failed,
                    " has left or has sent what it should not");
}

TEST(Gathering, NamesARankThatDoesNotComeOnAllOthers) {
  constexpr std::array victims{0, 24, 39};
  // At once: they only wait.
  for (const thrown& t : in_threads(victims.size(), [&](int i) {
         expect_all_name(victims[static_cast<std::size_t>(i)], fault::stays_away, errc::timed_out,
                         " did not answer in time (ORIEL_TIMEOUT)");
       }))
    EXPECT_EQ(t.code, errc::success) << t.text;
}

}  // namespace
}  // namespace oriel::testing
