// Where ranks are told that their parents listen, in any family of addresses.
#include "session/bootstrap/announcing.hpp"

#include <poll.h>

#include <cstring>

#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::rendezvous;
using sessions::socket_fd;

// A tree of four: 3 is the child of 2, which is the root's, as is 1.
constexpr int ranks = 4;

// Where rank 2 is seen at `parent`, and its child, rank 3, at `child`.
std::vector<sessions::admission::member> seen_at(const char* parent, const char* child) {
  std::vector<sessions::admission::member> all(ranks - 1);
  for (int i = 0; i < ranks - 1; ++i) {
    sessions::admission::member& m = all[static_cast<std::size_t>(i)];
    m.rank = i + 1;
    m.port = 4711;
    const char* const where = m.rank == 3 ? child : parent;
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6;
    four.sin_family = AF_INET;
    if (inet_pton(AF_INET6, where, &six.sin6_addr) == 1) {
      std::memcpy(&m.from.bytes, &six, m.from.length = sizeof six);
    } else {
      EXPECT_EQ(inet_pton(AF_INET, where, &four.sin_addr), 1) << where;
      std::memcpy(&m.from.bytes, &four, m.from.length = sizeof four);
    }
  }
  return all;
}

TEST(Announcing, IsOfAPlaceThatTheChildReaches) {
  struct seen {
    const char *parent, *child, *announced;  // null: it is not
  };
  for (const seen& s : {seen{"10.0.0.2", "10.0.0.3", "10.0.0.2:4711"},
                        {"127.0.0.1", "127.0.0.1", "127.0.0.1:4711"},
                        {"127.0.0.1", "10.0.0.3", nullptr},
                        {"::1", "2001:db8::3", nullptr},
                        {"::1", "::1", "::1:4711"},
                        {"::ffff:10.0.0.2", "::ffff:10.0.0.3", "10.0.0.2:4711"},
                        {"::ffff:127.0.0.1", "::ffff:10.0.0.3", nullptr},
                        {"fe80::2", "fe80::3", nullptr},
                        {"2001:db8::2", "2001:db8::3", "2001:db8::2:4711"}}) {
    std::string hindrance;
    const auto places = sessions::places_of_parents(seen_at(s.parent, s.child), hindrance);
    EXPECT_EQ(hindrance.empty(), s.announced != nullptr) << s.parent << ": " << hindrance;
    if (s.announced == nullptr) continue;
    EXPECT_FALSE(places[1]) << "rank 0 is known";
    ASSERT_TRUE(places[2]);
    EXPECT_EQ(sessions::in_words(*places[2]), s.announced);
  }
}

TEST(Announcing, FindsNoPeerOfAConnectionThatIsReset) {
  const star job(ranks);
  socket_fd here = job.connect();
  {
    const socket_fd there = job.accept();
    EXPECT_TRUE(sessions::peer_address(here.get()));
    const linger at_once{1, 0};
    EXPECT_EQ(setsockopt(there.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  }
  EXPECT_EQ(sessions::wait_ready(here.get(), POLLIN, in(std::chrono::milliseconds(5000))),
            sessions::io_result::done);
  EXPECT_FALSE(sessions::peer_address(here.get()));
}

// Ranks listen where they reach rank 0, whatever the families of its address: 20 ranks meet at
// `host`, where rank 0 listens at `root`.
void expect_a_tree_of_twenty(const socket_fd& root, const char* host) {
  sessions::job_description all;
  all.size = 20;
  all.root = {host, sessions::own_address(root.get()).port()};
  for (const thrown& t : in_threads(all.size, [&](int r) {
         sessions::job_description self = all;
         self.rank = r;
         if (r == 0) self.root_fd = root.get();
         rendezvous mine(self);
         EXPECT_EQ(mine.allgather("x").size(), 20u);
         if (r == 0) {
           EXPECT_EQ(mine.messages().received, 2 * 5) << "is no tree";
         }
       }))
    EXPECT_EQ(t.code, errc::success) << t.text;
}

TEST(Announcing, IsDoneOverIpVersionSix) {
  const socket_fd probe(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 where{};
  where.sin6_family = AF_INET6;
  where.sin6_addr = in6addr_loopback;
  if (!probe.valid() || bind(probe.get(), reinterpret_cast<sockaddr*>(&where), sizeof where) != 0)
    GTEST_SKIP() << "this machine has no loopback of IPv6";
  ASSERT_EQ(listen(probe.get(), 64), 0);
  expect_a_tree_of_twenty(probe, "::1");
}

// Rank 0 sees addresses of version four as ones of version six, the others none.
TEST(Announcing, IsDoneWhereRankZeroListensInBothFamilies) {
  const socket_fd both(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 where{};
  where.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &where.sin6_addr), 1);
  const int off = 0;
  if (!both.valid() || setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
      bind(both.get(), reinterpret_cast<sockaddr*>(&where), sizeof where) != 0)
    GTEST_SKIP() << "this machine has no sockets of both families";
  ASSERT_EQ(listen(both.get(), 64), 0);
  expect_a_tree_of_twenty(both, "127.0.0.1");
}

}  // namespace
}  // namespace oriel::testing
