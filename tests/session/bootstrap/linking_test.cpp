// How many ranks become a tree: which are let in where a parent listens, and what becomes of a job
// whose ranks do not reach each other. One rank is played by hand.
#include "session/bootstrap/linking.hpp"

#include <future>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/joining.hpp"
#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::answer;
using sessions::answer_kind;
using sessions::connection;
using sessions::hello;
using sessions::io_result;
using sessions::rendezvous;
using sessions::socket_address;
using sessions::socket_fd;
using std::chrono::milliseconds;

// A tree of four: 3 is the child of 2, which is the root's, as is 1.
constexpr int ranks = 4;

hello hello_of(int rank, int to = 0, std::uint16_t port = 0) {
  return {.rank = rank, .size = ranks, .number = sessions::fresh_nonce(), .to = to, .port = port};
}

answer hear(connection& from) {
  std::string bytes;
  EXPECT_EQ(from.receive(bytes, in(milliseconds(5000))), io_result::done);
  return sessions::decode_answer(bytes).value_or(answer{});
}
void say(connection& to, const answer& what) {
  EXPECT_EQ(to.send(sessions::encode(what), in(milliseconds(1000))), io_result::done);
}

// Rank `as` until it has joined rank 0.
connection contact_of(const star& job, const hello& as) {
  socket_fd s = job.connect();
  EXPECT_EQ(sessions::introduce(s.get(), job.rank(as.rank), as, "rank 0's place",
                                in(milliseconds(5000)), -1),
            io_result::done);
  return connection(std::move(s));
}

// What is said where `parent` listens to one that knows the secret of `self` and says `mine`.
thrown knock(const sessions::job_description& self, const socket_address& parent, const hello& mine,
             socket_fd* in_as = nullptr) {
  return catch_error([&] {
    socket_fd s = sessions::connect_to(parent, self, in(milliseconds(5000)), -1);
    ASSERT_TRUE(s.valid()) << sessions::in_words(parent);
    EXPECT_EQ(sessions::introduce(s.get(), self, mine, sessions::in_words(parent),
                                  in(milliseconds(5000)), -1),
              io_result::done);
    if (in_as != nullptr) *in_as = std::move(s);
  });
}

// Every rank but `played` in a thread: opens and gathers `gathers` times. What it met, by rank.
class others {
 public:
  others(const star& job, int played, int gathers, int largest_star = always_a_tree)
      : running_([=, this, &job] {
          met_ = in_threads(ranks, [&](int r) {
            if (r == played) return;
            rendezvous mine(job.rank(r), largest_star);
            for (int i = 0; i < gathers; ++i) {
              const auto all = mine.allgather(std::to_string(r));
              ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
              for (int other = 0; other < ranks; ++other)
                ASSERT_EQ(all[static_cast<std::size_t>(other)], std::to_string(other));
            }
          });
        }) {}
  const std::vector<thrown>& met() {
    if (running_.joinable()) running_.join();
    return met_;
  }
  void expect_success() {
    for (const thrown& t : met()) EXPECT_EQ(t.code, errc::success) << t.text;
  }
  ~others() { met(); }

 private:
  std::vector<thrown> met_;
  std::thread running_;
};

// What a rank sends of itself, and hears of all, in its part of a gather.
void gather_by_hand(connection& with, int rank) {
  say(with, {answer_kind::gathered, sessions::encode_list({std::to_string(rank)})});
  EXPECT_EQ(hear(with).bytes, sessions::encode_list({"0", "1", "2", "3"}));
}

TEST(Linking, LetsInNobodyButItsChildrenAtAParentsPort) {
  const star job(ranks);
  others rest(job, 3, 1);
  connection contact = contact_of(job, hello_of(3));
  const answer complete = hear(contact);
  ASSERT_EQ(complete.kind, answer_kind::complete);
  const auto parent = sessions::decode_address(complete.bytes);
  ASSERT_TRUE(parent);
  EXPECT_TRUE(sessions::in_words(*parent).starts_with("127.0.0.1:")) << "listens elsewhere, too";

  sessions::job_description without = job.rank(3), good = job.rank(3);
  without.secret = "guessed";
  const auto refused = [](const thrown& t, const std::string& why) {
    EXPECT_EQ(t.code, errc::arg);
    EXPECT_NE(t.text.find(why), std::string::npos) << t.text;
  };
  refused(knock(without, *parent, hello_of(3, 2)), "does not know the job's secret");
  refused(knock(good, *parent, hello_of(1, 2)), "rank 1 does not join rank 2");
  refused(knock(good, *parent, hello_of(3, 0)), "it joins rank 0, and this is rank 2");
  connection noise(sessions::connect_to(*parent, good, in(milliseconds(5000)), -1));
  EXPECT_EQ(noise.send(std::string(200, 'x'), in(milliseconds(1000))), io_result::done);
  std::string bytes;
  EXPECT_EQ(noise.receive(bytes, in(milliseconds(5000))), io_result::gone);

  socket_fd mine;
  EXPECT_EQ(knock(good, *parent, hello_of(3, 2), &mine).code, errc::success);
  connection link(std::move(mine));
  EXPECT_EQ(hear(link).kind, answer_kind::linked);
  gather_by_hand(link, 3);
  rest.expect_success();
  // Nobody listens there any more.
  EXPECT_FALSE(sessions::connect_to(*parent, good, in(milliseconds(1000)), -1).valid());
}

// At a port that is nobody else's.
socket_fd bound_socket() {
  socket_fd s(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(s.get(), reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  return s;
}

// As a stranger in a parent's place: rank 3 takes it for no rank of the job, and all meet at rank
// 0.
TEST(Linking, WithAParentThatIsNotReachedAllGatherAtRankZero) {
  for (const bool somebody_listens : {false, true}) {
    const star job(ranks);
    others rest(job, 2, 2);
    const socket_fd elsewhere = bound_socket();
    const std::uint16_t port = sessions::own_address(elsewhere.get()).port();
    if (somebody_listens) {
      ASSERT_EQ(listen(elsewhere.get(), 8), 0);
    }
    connection contact = contact_of(job, hello_of(2, 0, port));
    EXPECT_EQ(hear(contact).kind, answer_kind::complete);
    if (somebody_listens) {
      ASSERT_EQ(sessions::wait_ready(elsewhere.get(), 1, in(milliseconds(5000))), io_result::done);
      connection stranger(socket_fd(accept(elsewhere.get(), nullptr, nullptr)));
      hear(stranger);
      say(stranger, {answer_kind::challenge, std::string(32, 'c')});
      hear(stranger);
      say(stranger, {answer_kind::welcome, std::string(32, 'w')});
      EXPECT_TRUE(hear(contact).bytes.starts_with("rank 3: what listens at 127.0.0.1:"));
    } else {
      const auto begin = std::chrono::steady_clock::now();
      const answer star_it_is = hear(contact);
      EXPECT_LT(seconds_since(begin), 2) << "tries for a quarter of the time-out";
      EXPECT_EQ(star_it_is.kind, answer_kind::unlinked);
      EXPECT_EQ(star_it_is.bytes,
                "rank 3 does not reach rank 2 at 127.0.0.1:" + std::to_string(port));
    }
    gather_by_hand(contact, 2);
    gather_by_hand(contact, 2);
    rest.expect_success();
  }
}

// It has joined rank 0, and nothing more is heard of it.
TEST(Linking, WaitsHalfTheTimeOutForARankThatIsLateAndThenGathersAtRankZero) {
  constexpr int timeout_s = 3;
  const star job(ranks, timeout_s);
  others rest(job, 3, 1);
  connection contact = contact_of(job, hello_of(3));
  EXPECT_EQ(hear(contact).kind, answer_kind::complete);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(hear(contact).kind, answer_kind::unlinked);
  EXPECT_GT(seconds_since(begin), 0.4 * timeout_s);
  EXPECT_LT(seconds_since(begin), 0.9 * timeout_s);
  gather_by_hand(contact, 3);
  rest.expect_success();
}

TEST(Linking, WithARankThatDiesMeanwhileIsNamedByTheFirstGather) {
  for (const int victim : {2, 3}) {
    const star job(ranks);
    others rest(job, victim, 1);
    {
      connection contact = contact_of(job, hello_of(victim, 0, victim == 2 ? 9 : 0));
      EXPECT_EQ(hear(contact).kind, answer_kind::complete);
    }
    for (int r = 0; r < ranks; ++r) {
      if (r == victim) continue;
      const thrown& met = rest.met()[static_cast<std::size_t>(r)];
      EXPECT_EQ(met.code, errc::peer_failed) << r;
      EXPECT_EQ(met.text,
                "rank " + std::to_string(victim) + " has left or has sent what it should not")
          << r;
    }
  }
}

// Before all have joined rank 0, whose connection with it is reset.
TEST(Linking, WithAParentThatDiesBeforeTheLastJoinsIsNamedByTheFirstGather) {
  const star job(ranks);
  std::promise<void> died;
  std::shared_future<void> dead = died.get_future().share();
  std::thread two([&] {
    connection contact = contact_of(job, hello_of(2, 0, 9));
    const linger at_once{1, 0};
    EXPECT_EQ(setsockopt(contact.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    contact = {};
    died.set_value();
  });
  const auto met = in_threads(ranks, [&](int r) {
    if (r == 2) return;
    if (r == 3) dead.wait();
    rendezvous mine(job.rank(r), always_a_tree);
    mine.allgather("x");
  });
  two.join();
  for (const std::size_t r : {0, 1, 3}) {
    EXPECT_EQ(met[r].code, errc::peer_failed) << r;
    EXPECT_EQ(met[r].text, "rank 2 has left or has sent what it should not") << r;
  }
}

TEST(Linking, WithAParentThatCannotListenAllGatherAtRankZero) {
  const star job(ranks);
  others rest(job, 2, 1);
  connection contact = contact_of(job, hello_of(2, 0, 0));
  const answer star_it_is = hear(contact);
  EXPECT_EQ(star_it_is.kind, answer_kind::unlinked);
  EXPECT_EQ(star_it_is.bytes, "rank 2 cannot listen for its children");
  gather_by_hand(contact, 2);
  rest.expect_success();
}

// It has linked itself and dies before it passes on that all are.
TEST(Linking, WithAParentThatDiesAsItEndsIsNamedByItsChildren) {
  const star job(ranks);
  others rest(job, 2, 1);
  {
    socket_fd listening;
    const socket_fd probe = job.connect();
    listening = sessions::listen_beside(probe.get());
    connection contact =
        contact_of(job, hello_of(2, 0, sessions::own_address(listening.get()).port()));
    EXPECT_EQ(hear(contact).kind, answer_kind::complete);
    sessions::job_description self = job.rank(2);
    sessions::admission door(self, std::move(listening), {3});
    while (!door.complete()) door.turn();
    say(contact, {answer_kind::linked, ""});
    EXPECT_EQ(hear(contact).kind, answer_kind::linked);
  }
  for (const int r : {0, 1, 3}) {
    const thrown& met = rest.met()[static_cast<std::size_t>(r)];
    EXPECT_EQ(met.code, errc::peer_failed) << r;
    EXPECT_EQ(met.text, "rank 2 has left or has sent what it should not") << r;
  }
}

}  // namespace
}  // namespace oriel::testing
