// What a rank that has closed its session means to those that wait, each on a node of its own.
#include <array>
#include <memory>
#include <vector>

#include "session/team/job.hpp"
#include "tests/session/node/watched_job.hpp"

namespace oriel::testing {
namespace {

constexpr std::array world{0, 1, 2};

// Of one of three ranks, in the world's team.
struct seat {
  explicit seat(watched_job::place& p) : job(described(p.rank, where), *memory) {
    job.connect(p.others);
  }
  static sessions::job::description described(int rank, const sessions::placement& where) {
    sessions::job::description about;
    about.rank = rank;
    about.where = where;
    return about;
  }

  std::vector<std::byte> tables = std::vector<std::byte>(sessions::placement::bytes(3, 3));
  sessions::placement where{tables.data(), world, world};
  std::unique_ptr<sessions::node_memory> memory = sessions::node_memory::make(1, 0);
  sessions::job job;
  sessions::member_watch members{job, where, job.rank()};
  sessions::call_watch call{members};
};

using sessions::fate;

TEST(CallWatch, WhoHasLeftCountsWhereItIsWaitedForItselfAndForAllByAndBy) {
  constexpr int leaver = 2;
  sessions::liveness::settings how;
  how.grace = milliseconds(200);
  how.silence = seconds(2);
  watched_job all(3, how, [](watched_job::place& p) -> std::string {
    if (p.rank == leaver) {
      p.others.leave();
      becomes_true(p.end, seconds(20));  // the process stays
      return "";
    }
    seat at(p);
    if (!becomes_true([&] { return at.job.fate_of(leaver) == fate::left; }))
      return "does not leave";
    if (!at.members.any_failed()) return "is missed by nobody";
    if (at.call.any_failed()) return "others need not pass on what it has sent";
    if (!at.call.has_gone(leaver)) return "is waited for itself";
    const auto first = steady::now();
    if (!becomes_true([&] { return at.call.any_failed(); })) return "is waited for for ever";
    if (steady::now() - first < milliseconds(1500)) return "others have no time to pass it on";
    if (at.call.has_gone(1 - p.rank)) return "takes another for gone";
    becomes_true(p.end, seconds(20));
    return "";
  });
  ASSERT_TRUE(all.opens());
  std::this_thread::sleep_for(seconds(4));
  all.tell_the_end();
  for (int r = 0; r < 3; ++r) EXPECT_EQ(all.status(r), 0) << r;
}

TEST(CallWatch, WhoHasDiedCountsAtOnce) {
  constexpr int victim = 2;
  sessions::liveness::settings how;
  watched_job all(3, how, [](watched_job::place& p) -> std::string {
    seat at(p);
    if (at.call.any_failed()) return "takes somebody for gone";
    if (p.rank == victim) raise(SIGKILL);
    if (!becomes_true([&] { return at.call.any_failed(); }, seconds(3)))
      return "waits for the dead";
    becomes_true(p.end, seconds(20));
    return "";
  });
  ASSERT_TRUE(all.opens());
  std::this_thread::sleep_for(seconds(1));
  all.tell_the_end();
  for (int r = 0; r < victim; ++r) EXPECT_EQ(all.status(r), 0) << r;
}

}  // namespace
}  // namespace oriel::testing
