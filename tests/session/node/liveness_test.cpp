// The failure detector, in a process a rank: all living ranks detect deaths, whatever they do, and
// no living rank is declared failed. (What a network does to them: tests/faults.)
#include "session/node/liveness.hpp"

#include <linux/filter.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <random>

#include "tests/faults/strangers.hpp"
#include "tests/session/node/told_by_memory.hpp"
#include "tests/session/node/watched_job.hpp"
#include "tests/support/descriptors.hpp"

namespace oriel::testing {
namespace {

using sessions::fate;
using sessions::liveness;

constexpr milliseconds soon{3000};

std::string is_wrong(bool holds, const std::string& what) {
  return holds ? "" : what;
}

int gone(const liveness& others, fate how) {
  int n = 0;
  for (int r = 0; r < others.known().ranks(); ++r) n += others.known().of(r) == how ? 1 : 0;
  return n;
}

// Sockets that are connected.
std::vector<int> connections() {
  std::vector<int> found;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_storage other{};
    socklen_t length = sizeof other;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&other), &length) == 0 &&
        other.ss_family == AF_INET)
      found.push_back(fd);
  }
  return found;
}

TEST(Liveness, ADeathIsLearntByAllThoughNobodyWaits) {
  constexpr int ranks = 40, victim = 7;
  watched_job job(ranks, {}, [](watched_job::place& p) {
    if (p.rank == victim) pause();
    const bool learnt =
        becomes_true([&] { return p.others.known().of(victim) == fate::ended; }, soon + seconds(1));
    becomes_true(p.end, seconds(20));
    return is_wrong(learnt && p.others.known().losses() == 1, "has not learnt of the death alone");
  });
  ASSERT_TRUE(job.opens());
  job.signal(victim, SIGKILL);
  std::this_thread::sleep_for(seconds(1));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), r == victim ? 128 + SIGKILL : 0) << r;
}

// Those that are left close their ring, so that the next death is detected too.
TEST(Liveness, ManyDeathsAtOnceAreLearntAndThenAnother) {
  constexpr int ranks = 36, first = 3, last = 32;
  watched_job job(ranks, {}, [](watched_job::place& p) {
    if (p.rank >= first && p.rank <= last) pause();
    const bool learnt =
        becomes_true([&] { return gone(p.others, fate::ended) == last - first + 1; }, seconds(10));
    if (!learnt)
      return "knows of " + std::to_string(gone(p.others, fate::ended)) + " deaths of " +
             std::to_string(last - first + 1);
    if (p.rank == ranks - 1) {
      std::this_thread::sleep_for(seconds(1));
      raise(SIGKILL);
    }
    return is_wrong(
        becomes_true([&] { return p.others.known().of(ranks - 1) == fate::ended; }, seconds(10)),
        "does not know of the last death");
  });
  ASSERT_TRUE(job.opens());
  for (int r = first; r <= last; ++r) job.signal(r, SIGKILL);
  for (int r = 0; r < ranks; ++r) {
    const bool dies = (r >= first && r <= last) || r == ranks - 1;
    EXPECT_EQ(job.status(r), dies ? 128 + SIGKILL : 0) << r;
  }
}

TEST(Liveness, WhoLeavesHasLeftAfterAGrace) {
  constexpr int ranks = 20, leaver = 5;
  liveness::settings how;
  how.grace = milliseconds(700);
  watched_job job(ranks, how, [](watched_job::place& p) -> std::string {
    const sessions::fates& known = p.others.known();
    if (p.rank == leaver) {
      p.others.leave();
      becomes_true(p.end, seconds(20));  // the process stays
      return "";
    }
    if (!becomes_true([&] { return known.of(leaver) == fate::leaving; }, soon))
      return "does not know who leaves";
    const auto heard = steady::now();
    if (!known.alive(leaver)) return "allows no grace";
    if (!becomes_true([&] { return known.of(leaver) == fate::left; }, soon)) return "grace forever";
    if (steady::now() - heard < milliseconds(500)) return "allows little grace";
    becomes_true(p.end, seconds(20));
    return is_wrong(known.losses() == 1, "takes others for gone");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(seconds(3));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

// Its kernel answers for it, however long.
TEST(Liveness, WhoIsStoppedLives) {
  constexpr int ranks = 4, stopped = 2;
  liveness::settings how;
  how.silence = seconds(2);
  watched_job job(ranks, how, [](watched_job::place& p) {
    becomes_true(p.end, seconds(20));
    return is_wrong(p.others.known().losses() == 0, "takes somebody for gone");
  });
  ASSERT_TRUE(job.opens());
  job.signal(stopped, SIGSTOP);
  std::this_thread::sleep_for(seconds(5));
  job.signal(stopped, SIGCONT);
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

// Two rails, both over the loopback.
TEST(Liveness, ARailThatOneRankGivesUpIsGivenUpByAll) {
  constexpr int ranks = 20, finder = 3;
  liveness::settings how;
  how.interfaces = {"lo", "lo"};
  watched_job job(ranks, how, [](watched_job::place& p) {
    const sessions::fates& known = p.others.known();
    if (p.rank == finder) p.others.report_rail(0);
    const bool heard = becomes_true([&] { return known.failed_rails() == 1; }, soon);
    p.others.report_rail(1);  // the last is kept
    becomes_true(p.end, seconds(20));
    return is_wrong(heard, "does not know that the rail has failed") +
           is_wrong(known.failed_rails() == 1 && known.losses() == 0, "gives up too much");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(seconds(1));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

TEST(Liveness, WhoHasDiedHasDiedOnEveryRail) {
  constexpr int ranks = 5, victim = 2;
  liveness::settings how;
  how.interfaces = {"lo", "lo"};
  watched_job job(ranks, how, [](watched_job::place& p) {
    const sessions::fates& known = p.others.known();
    const bool found = becomes_true([&] { return known.of(victim) == fate::ended; }, soon);
    becomes_true(p.end, seconds(20));
    return is_wrong(found, "does not know who has died") +
           is_wrong(known.failed_rails() == 0 && known.losses() == 1, "gives up too much");
  });
  ASSERT_TRUE(job.opens());
  job.signal(victim, SIGKILL);
  std::this_thread::sleep_for(seconds(1));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), r == victim ? 128 + SIGKILL : 0) << r;
}

// As when something between two hosts forgets a connection.
TEST(Liveness, WhoseConnectionsBreakLives) {
  constexpr int ranks = 20;
  watched_job job(ranks, {}, [](watched_job::place& p) -> std::string {
    // 1, 2, 4 and 8, on either side.
    const auto linked = [&] { return p.others.links() == 8; };
    if (!becomes_true(linked, soon)) return "has too few links, or too many";
    for (int round = 0; p.rank == 1 && round < 5; ++round) {
      for (const int fd : connections()) shutdown(fd, SHUT_RDWR);
      std::this_thread::sleep_for(milliseconds(100));
    }
    std::this_thread::sleep_for(seconds(1));
    if (!becomes_true(linked, soon)) return "has not got its links back";
    becomes_true(p.end, seconds(20));
    return is_wrong(p.others.known().losses() == 0, "takes somebody for gone");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(seconds(3));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

// The kernel drops what comes for this connection, and answers no probe of the other side's.
void deafen(int connection) {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program{1, &nothing};
  setsockopt(connection, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

std::ptrdiff_t deaf_connections() {
  const std::vector<int> all = connections();
  return std::count_if(all.begin(), all.end(), [](int fd) {
    socklen_t instructions = 0;
    return getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, nullptr, &instructions) == 0 &&
           instructions > 0;
  });
}

// Loss may take every probe of one link, while new connections are answered.
TEST(Liveness, ASilentLinkIsReplacedAndItsRankIsAlive) {
  constexpr int ranks = 3;
  liveness::settings how;
  how.silence = seconds(3);
  watched_job job(ranks, how, [](watched_job::place& p) -> std::string {
    for (const int fd : connections()) deafen(fd);
    const std::ptrdiff_t before = deaf_connections();
    const bool replaced = becomes_true(
        [&] { return deaf_connections() == before - (ranks - 1) && p.others.links() == ranks - 1; },
        seconds(10));
    if (!replaced)
      return std::to_string(before - deaf_connections()) + " of its links have ended, and it has " +
             std::to_string(p.others.links());
    becomes_true(p.end, seconds(20));
    return is_wrong(p.others.known().losses() == 0, "takes somebody for gone");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(seconds(7));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

// Ranks die and connections break at any moment, and all who live agree on who does.
TEST(Liveness, IsRightAboutWhoDiesWhileConnectionsBreak) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 dice(seed);
  for (int round = 0; round < 3; ++round) {
    const int ranks = 2 + static_cast<int>(dice() % 40);
    std::vector<milliseconds> dies_after(static_cast<std::size_t>(ranks), milliseconds(0));
    for (int r = 1; r < ranks; ++r)
      if (dice() % 3 == 0) dies_after[static_cast<std::size_t>(r)] = milliseconds(1 + dice() % 900);
    const auto dies = [&](int r) { return dies_after[static_cast<std::size_t>(r)].count() != 0; };
    watched_job job(ranks, {}, [&](watched_job::place& p) -> std::string {
      std::mt19937 mine(seed + static_cast<unsigned>(p.rank));
      const auto start = steady::now();
      while (steady::now() - start < seconds(1)) {
        if (dies(p.rank) && steady::now() - start > dies_after[static_cast<std::size_t>(p.rank)])
          raise(SIGKILL);
        const std::vector<int> all = connections();
        if (!all.empty() && mine() % 10 == 0) shutdown(all[mine() % all.size()], SHUT_RDWR);
        std::this_thread::sleep_for(milliseconds(10));
      }
      std::this_thread::sleep_for(seconds(1));
      std::string wrong;
      for (int r = 0; r < ranks; ++r)
        if (p.others.known().of(r) != (dies(r) ? fate::ended : fate::here))
          wrong += " of rank " + std::to_string(r) + " that it " +
                   sessions::in_words(p.others.known().of(r), p.others.silence());
      becomes_true(p.end, seconds(20));
      return wrong.empty() ? "" : "believes" + wrong;
    });
    ASSERT_TRUE(job.opens());
    std::this_thread::sleep_for(milliseconds(2500));
    job.tell_the_end();
    for (int r = 0; r < ranks; ++r)
      EXPECT_EQ(job.status(r), dies(r) ? 128 + SIGKILL : 0) << r << " of " << ranks;
  }
}

TEST(Liveness, ConnectionsAreFewHoweverManyRanks) {
  constexpr int ranks = 64;
  watched_job job(ranks, {}, [](watched_job::place& p) {
    // 1, 2, 4, 8, 16, 32, on either side; 32 is the same rank.
    const bool few = becomes_true([&] { return p.others.links() == 11; }, soon);
    becomes_true(p.end, seconds(20));
    // The launcher's connections are there too: one up the tree, the others down.
    const auto place = sessions::place_in_tree(p.rank, ranks);
    const std::size_t most = 11 + place.children.size() + (p.rank == 0 ? 0 : 1);
    return is_wrong(few && connections().size() <= most,
                    "has " + std::to_string(p.others.links()) + " links and " +
                        std::to_string(connections().size()) + " connections");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(milliseconds(500));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), 0) << r;
}

// More of them than are kept waiting, at every rank, from before a death until after it.
TEST(Liveness, StrangersAreHungUpOnAndKeepNobodyOut) {
  constexpr int ranks = 6, victim = 3;
  watched_job job(ranks, {}, [](watched_job::place& p) -> std::string {
    std::vector<sessions::socket_fd> strangers;
    for (const sockaddr_in& at : listening_places(whose::my_own))
      for (int i = 0; i < 200; ++i)
        strangers.push_back(knock(at, i % 2 == 0 ? "" : "GET / HTTP/1.1\r\n\r\n"));
    if (p.rank == victim) becomes_true(p.end, seconds(20)), raise(SIGKILL);
    // Links that break meanwhile are made again.
    for (const int fd : connections())
      if (p.rank == 1 && std::none_of(strangers.begin(), strangers.end(),
                                      [fd](const auto& s) { return s.get() == fd; }))
        shutdown(fd, SHUT_RDWR);
    const auto hung_up_on = [](const sessions::socket_fd& s) {
      char ignored = 0;
      const ssize_t n = recv(s.get(), &ignored, 1, MSG_DONTWAIT);
      return n == 0 || (n < 0 && errno != EAGAIN);
    };
    if (!becomes_true([&] { return std::all_of(strangers.begin(), strangers.end(), hung_up_on); }))
      return "strangers stay";
    becomes_true(p.end, seconds(20));
    return is_wrong(
        becomes_true([&] { return p.others.known().of(victim) == fate::ended; }, soon) &&
            p.others.known().losses() == 1,
        "does not know of the death alone");
  });
  ASSERT_TRUE(job.opens());
  std::this_thread::sleep_for(seconds(4));
  job.tell_the_end();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(job.status(r), r == victim ? 128 + SIGKILL : 0) << r;
}

TEST(Liveness, OpensAndClosesWithoutAnythingLeft) {
  told_by_memory job(20);
  const std::size_t before = open_descriptors();
  for (int round = 0; round < 5; ++round)
    for (const std::string& thrown : job.on_all([&](auto& here) {
           const auto memory = sessions::node_memory::make(1, 0);
           liveness others(here, *memory, {});
           here.allgather("");
           EXPECT_EQ(others.known().losses(), 0u);
         }))
      EXPECT_EQ(thrown, "");
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Liveness, AnAddressThatIsNotReachedIsToldToAll) {
  const auto tell = [](const sockaddr_in& where) {
    return [where](std::vector<std::string>& told) {
      if (told[2].size() > sizeof where)
        told[2].replace(told[2].size() - sizeof where, sizeof where,
                        reinterpret_cast<const char*>(&where), sizeof where);
    };
  };
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(1);
  for (const auto& [address, why] :
       {std::pair{"127.0.0.1", "Connection refused"}, std::pair{"192.0.2.1", ""}}) {
    inet_pton(AF_INET, address, &where.sin_addr);
    liveness::settings how;
    how.opening = seconds(3);
    told_by_memory job(4, tell(where));
    const auto began = steady::now();
    for (const std::string& thrown : job.on_all([&](auto& here) {
           const auto memory = sessions::node_memory::make(1, 0);
           liveness others(here, *memory, how);
         })) {
      EXPECT_NE(thrown.find(std::string("rank 0: the nodes cannot watch over each other: rank 2 "
                                        "is not reached at ") +
                            address + ":1: " + why),
                std::string::npos)
          << thrown;
      EXPECT_NE(thrown.find("ORIEL_INTERFACE"), std::string::npos) << thrown;
    }
    EXPECT_LT(steady::now() - began, seconds(8));
  }
}

}  // namespace
}  // namespace oriel::testing
