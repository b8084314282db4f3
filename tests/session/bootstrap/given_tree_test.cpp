// How ranks that know their parents' places become a tree: who is waited for, who is named where
// some do not come or die, and what those meet that do not belong there. Some ranks are played by
// hand.
#include "session/bootstrap/given_tree.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <latch>
#include <map>
#include <numeric>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/joining.hpp"
#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::connection;
using sessions::job_description;
using sessions::rendezvous;
using sessions::socket_fd;
using std::chrono::milliseconds;

// A tree of eight: 7 is the child of 6, which is 4's, as is 5; 3 is 2's; 1, 2 and 4 are rank 0's.
constexpr int eight = 8;

class given_job {
 public:
  explicit given_job(int size, int timeout_s = 10) : secret_(tools::make_secret()) {
    base_.size = size;
    base_.secret = secret_;
    base_.timeout = std::chrono::seconds(timeout_s);
    for (int r = 0; r < size; ++r)
      sockets_.push_back(sessions::place_in_tree(r, size).children.empty()
                             ? socket_fd()
                             : tools::listen_on().socket);
    base_.root = place_of(0);
  }
  [[nodiscard]] job_description rank(int r) const {
    job_description job = base_;
    job.rank = r;
    job.parent = place_of(r == 0 ? 0 : sessions::parent_in_tree(r));
    job.root_fd = socket_of(r).get();
    return job;
  }
  [[nodiscard]] const socket_fd& socket_of(int r) const {
    return sockets_[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] sessions::host_port place_of(int r) const {
    return {"127.0.0.1", sessions::own_address(socket_of(r).get()).port()};
  }
  // As if that rank's process had ended.
  void close(int r) { sockets_[static_cast<std::size_t>(r)] = socket_fd(); }

 private:
  std::string secret_;
  job_description base_;
  std::vector<socket_fd> sockets_;
};

void open(const job_description& job) {
  const rendezvous opened(job, always_a_tree);
}

// What ranks meet, by rank, and after how many seconds. `played`, in place of opening a session.
struct outcome : thrown {
  double seconds = 0;
};
using roles = std::map<int, std::function<void()>>;
std::vector<outcome> play(const given_job& job, int ranks, const roles& played) {
  std::vector<outcome> all(static_cast<std::size_t>(ranks));
  const auto begin = std::chrono::steady_clock::now();
  const auto met = in_threads(ranks, [&](int r) {
    const thrown t = catch_error([&] {
      const auto role = played.find(r);
      role == played.end() ? open(job.rank(r)) : role->second();
    });
    static_cast<thrown&>(all[static_cast<std::size_t>(r)]) = t;
    all[static_cast<std::size_t>(r)].seconds = seconds_since(begin);
  });
  return all;
}
void stays_away() {}

// Opens a session, and counts down whatever comes of it.
void open_and_count(const job_description& job, std::latch& done) {
  const thrown met = catch_error([&] { open(job); });
  done.count_down();
  if (met.code != errc::success) throw error(met.code, met.text);
}

void expect(const std::vector<outcome>& all, const std::vector<int>& ranks, errc code,
            const std::string& text, double within) {
  for (const int r : ranks) {
    const outcome& met = all[static_cast<std::size_t>(r)];
    EXPECT_EQ(met.code, code) << "on rank " << r;
    EXPECT_EQ(met.text, text) << "on rank " << r;
    EXPECT_LT(met.seconds, within) << "on rank " << r;
  }
}
std::string absent(int timeout_s, const std::string& missing, const std::string& unheard = "") {
  return "of 8 ranks, these did not appear within " + std::to_string(timeout_s) +
         " s (ORIEL_TIMEOUT): " + missing +
         (unheard.empty()
              ? ""
              : "; not heard, since they join through one of these or do not answer: " + unheard);
}

// Rank `r` until its parent has let it in.
connection join_as(const job_description& self) {
  return sessions::join(sessions::parent_of(self), self, [&self](int) {
    return sessions::hello{.rank = self.rank,
                           .size = self.size,
                           .number = sessions::fresh_nonce(),
                           .to = sessions::parent_in_tree(self.rank)};
  });
}
// Those that rank `self` has let in, all of its children.
std::vector<sessions::admission::member> let_in(const job_description& self) {
  sessions::admission door(self, sessions::listen_as_told(self),
                           sessions::children_of(sessions::place_in_tree(self.rank, self.size)));
  while (!door.complete()) door.turn();
  return door.take_joined();
}

TEST(GivenTree, GathersInRankOrderAsOftenAsItIsOpened) {
  for (const auto& [ranks, logarithm] : {std::pair{3, 2}, {7, 3}, {17, 5}, {33, 6}}) {
    const given_job job(ranks, 30);
    for (const thrown& t : in_threads(ranks, [&, ranks = ranks, logarithm = logarithm](int r) {
           for (int session = 0; session < 3; ++session) {
             rendezvous mine(job.rank(r), always_a_tree);
             if (r == 0) {
               EXPECT_EQ(mine.messages().sent, logarithm) << ranks;
               EXPECT_EQ(mine.messages().received, logarithm) << ranks;
             }
             for (int i = 0; i < 2; ++i) {
               const auto all = mine.allgather(std::to_string(r + i));
               ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
               for (int other = 0; other < ranks; ++other)
                 ASSERT_EQ(all[static_cast<std::size_t>(other)], std::to_string(other + i));
             }
           }
         }))
      EXPECT_EQ(t.code, errc::success) << t.text;
  }
}

// As late as rank 0 lets them be, which itself is late: when 15 comes, which joins 14, those
// above them, 12 and 8, have waited for longer than the time-out.
TEST(GivenTree, WaitsForRanksThatAreLateBelowOthersThatWere) {
  constexpr int timeout_s = 6;
  constexpr int sixteen = 16;
  const given_job job(sixteen, timeout_s);
  const auto after = [&job](int ms, int r) {
    return [&job, ms, r] {
      std::this_thread::sleep_for(milliseconds(ms));
      open(job.rank(r));
    };
  };
  const auto all =
      play(job, sixteen, {{0, after(5500, 0)}, {14, after(9500, 14)}, {15, after(10000, 15)}});
  std::vector<int> every(sixteen);
  std::iota(every.begin(), every.end(), 0);
  expect(all, every, errc::success, "", 3 * timeout_s);
}

TEST(GivenTree, NamesARankThatDoesNotAppearToAllThatDo) {
  constexpr int timeout_s = 2;
  for (const int missing : {1, 3, 7}) {
    const given_job job(eight, timeout_s);
    auto all = play(job, eight, {{missing, stays_away}});
    std::vector<int> others{0, 1, 2, 3, 4, 5, 6, 7};
    std::erase(others, missing);
    expect(all, others, errc::timed_out, absent(timeout_s, std::to_string(missing)), timeout_s + 3);
  }
}

TEST(GivenTree, NamesARankThatOthersJoinAndThoseThatAreNotHeardForIt) {
  constexpr int timeout_s = 2;
  const given_job job(eight, timeout_s);
  const auto all = play(job, eight, {{4, stays_away}});
  expect(all, {0, 1, 2, 3}, errc::timed_out, absent(timeout_s, "4", "5, 6, 7"), timeout_s + 3);
  expect(all, {5, 6}, errc::timed_out, "rank 4 did not answer in time (ORIEL_TIMEOUT)",
         2 * timeout_s + 3);
  expect(all, {7}, errc::timed_out, "rank 6 did not answer in time (ORIEL_TIMEOUT)",
         2 * timeout_s + 3);
}

TEST(GivenTree, NamesAParentWhoseProcessHasEnded) {
  constexpr int timeout_s = 1;
  given_job job(eight, timeout_s);
  const job_description self = job.rank(7);
  job.close(6);
  const thrown met = catch_error([&] { open(self); });
  EXPECT_EQ(met.code, errc::timed_out);
  EXPECT_EQ(met.text, "rank 7: rank 6 did not appear at ORIEL_PARENT=127.0.0.1:" +
                          std::to_string(self.parent->port) + " within 1 s (ORIEL_TIMEOUT)");
}

TEST(GivenTree, RefusesARankAsRankZeroDoes) {
  constexpr int timeout_s = 2;
  const given_job job(eight, timeout_s);
  job_description guessing = job.rank(7), larger = job.rank(7), misled = job.rank(7);
  guessing.secret = "guessed";
  larger.size = 9;
  misled.parent = job.place_of(4);
  for (const auto& [self, why] :
       {std::pair{guessing, "it does not know the job's secret (ORIEL_JOB_SECRET)"},
        {larger, "ORIEL_SIZE is 9, but rank 6 has 8"},
        {misled, "it joins rank 6, and this is rank 4"}}) {
    const auto all = play(job, eight, {{7, [&self = self] { open(self); }}});
    expect(all, {7}, errc::arg, std::string("rank 6 refused rank 7: ") + why, timeout_s);
    expect(all, {0, 1, 2, 3, 4, 5, 6}, errc::timed_out, absent(timeout_s, "7"), timeout_s + 3);
  }
}

TEST(GivenTree, IsNotDisturbedByStrangers) {
  const given_job job(eight);
  std::vector<socket_fd> strangers;
  for (const int r : {0, 2, 4, 6})
    for (const std::string& said : {std::string(), std::string("GET / HTTP/1.1\r\n\r\n"),
                                    std::string(8, '\xff'), std::string(200, 'x')}) {
      strangers.push_back(sessions::connect_to(sessions::own_address(job.socket_of(r).get()),
                                               job.rank(r), in(milliseconds(5000)), -1));
      ASSERT_TRUE(strangers.back().valid());
      if (!said.empty()) {
        ASSERT_GT(send(strangers.back().get(), said.data(), said.size(), 0), 0);
      }
    }
  expect(play(job, eight, {}), {0, 1, 2, 3, 4, 5, 6, 7}, errc::success, "", 9);
}

// While others of the tree are waited for yet, and while they are not.
TEST(GivenTree, NamesARankThatDiesToAllThatAreConnected) {
  for (const bool rank_5_comes : {true, false}) {
    const given_job job(eight, 20);
    roles played{{6, [&job] {
                    const connection up = join_as(job.rank(6));
                    const auto below = let_in(job.rank(6));
                    std::this_thread::sleep_for(milliseconds(200));
                  }}};
    std::vector<int> others{0, 1, 2, 3, 4, 7};
    if (rank_5_comes)
      others.push_back(5);
    else
      played[5] = stays_away;
    expect(play(job, eight, played), others, errc::peer_failed,
           "rank 6 has left or has sent what it should not", 5);
  }
}

// The root, and one amid the tree, which have joined and do nothing more.
TEST(GivenTree, WaitsForNobodyThatStandsStillLongerThanThreeTimeOuts) {
  constexpr int timeout_s = 2;
  for (const int still : {6, 0}) {
    const given_job job(eight, timeout_s);
    std::latch others(eight - 1);
    roles played;
    for (int r = 0; r < eight; ++r) played[r] = [&, r] { open_and_count(job.rank(r), others); };
    played[still] = [&] {
      connection up;
      if (still != 0) up = join_as(job.rank(still));
      const auto below = let_in(job.rank(still));
      others.wait();
    };
    const auto all = play(job, eight, played);
    if (still == 0) {
      expect(all, {1, 2, 3, 4, 5, 6, 7}, errc::timed_out,
             "rank 0 did not answer in time (ORIEL_TIMEOUT)", 3 * timeout_s + 3);
    } else {
      expect(all, {0, 1, 2, 3, 4, 5}, errc::timed_out, absent(timeout_s, "none", "6, 7"),
             timeout_s + 3);
      expect(all, {7}, errc::timed_out, "rank 6 did not answer in time (ORIEL_TIMEOUT)",
             3 * timeout_s + 3);
    }
  }
}

TEST(GivenTree, NeedsASocketOnEachRankThatOthersJoin) {
  const given_job job(eight);
  job_description self = job.rank(4);
  self.root_fd = -1;
  const thrown met = catch_error([&] { open(self); });
  EXPECT_EQ(met.code, errc::arg);
  EXPECT_NE(met.text.find("ORIEL_ROOT_FD is not set on rank 4"), std::string::npos) << met.text;
}

}  // namespace
}  // namespace oriel::testing
