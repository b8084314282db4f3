// Outsiders at the socket of a job's rendezvous: what is revealed to them, what they can pretend,
// and what they cost. (At the sockets of other nodes: faults/strangers_test.cpp.)
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>
#include <vector>

#include "session/bootstrap/admission.hpp"
#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::rendezvous;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

// Opens the whole job; how long it took.
double start(const star& job, int size) {
  const auto begin = clock::now();
  std::vector<std::thread> ranks;
  std::vector<thrown> results(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r)
    ranks.emplace_back([&, r] {
      results[static_cast<std::size_t>(r)] = catch_error([&] { rendezvous all(job.rank(r)); });
    });
  for (std::thread& t : ranks) t.join();
  for (const thrown& t : results) EXPECT_EQ(t.code, errc::success) << t.text;
  return seconds_since(begin);
}

// Strangers that say nothing, or announce a message and send a byte of it now and then.
class siege {
 public:
  siege(const star& job, int strangers) {
    for (int i = 0; i < strangers; ++i) strangers_.push_back(job.connect());
    const std::uint64_t length = 48;
    for (std::size_t i = 0; i < strangers_.size(); i += 2)
      send(strangers_[i].get(), &length, sizeof length, MSG_NOSIGNAL);
    trickling_ = std::thread([this] {
      while (!over_) {
        for (std::size_t i = 0; i < strangers_.size(); i += 2)
          send(strangers_[i].get(), "\1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        std::this_thread::sleep_for(milliseconds(100));
      }
    });
  }
  ~siege() {
    over_ = true;
    trickling_.join();
  }
  [[nodiscard]] const sessions::socket_fd& operator[](std::size_t i) const { return strangers_[i]; }

 private:
  std::vector<sessions::socket_fd> strangers_;
  std::atomic<bool> over_{false};
  std::thread trickling_;
};

TEST(Strangers, FourHundredSilentAndTricklingOnesDelayNobody) {
  const star job(4);
  const siege around(job, 400);
  EXPECT_LT(start(job, 4), 1.0);
}

// More than rank 0 has room for: the oldest give way, and members come in.
TEST(Strangers, GiveWayWhenThereAreTooMany) {
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &most), 0);
  constexpr int strangers = static_cast<int>(sessions::admission::most_strangers) + 300;
  if (most.rlim_max < 3 * strangers) GTEST_SKIP() << "this process may not open enough sockets";
  most.rlim_cur = most.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &most), 0);
  const star job(4);
  const siege around(job, strangers);
  // Rank 3 comes last, so that the others and rank 0 are there all the while.
  std::vector<std::thread> ranks;
  for (int r = 0; r < 3; ++r)
    ranks.emplace_back([&job, r] {
      EXPECT_EQ(catch_error([&] { rendezvous all(job.rank(r)); }).code, errc::success) << r;
    });
  char byte = 0;
  timeval soon{5, 0};
  setsockopt(around[1].get(), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  errno = 0;
  EXPECT_LE(recv(around[1].get(), &byte, 1, 0), 0) << "rank 0 answers one that says nothing";
  EXPECT_NE(errno, EAGAIN) << "the oldest stranger is still there";
  const auto begin = clock::now();
  EXPECT_EQ(catch_error([&] { rendezvous all(job.rank(3)); }).code, errc::success);
  EXPECT_LT(seconds_since(begin), 3);
  for (std::thread& t : ranks) t.join();
}

// As many as one thread can make, for as long as the job takes to start.
TEST(Strangers, ThatComeWithoutEndDoNotShutMembersOut) {
  const star job(4, 30);
  std::atomic<bool> over{false};
  std::thread flood([&] {
    std::vector<sessions::socket_fd> kept(200);
    for (std::size_t i = 0; !over; i = (i + 1) % kept.size()) kept[i] = job.connect();
  });
  EXPECT_LT(start(job, 4), 10);
  over = true;
  flood.join();
}

// One side of a handshake, written by hand.
std::string converse(const sessions::socket_fd& with, const std::string& message) {
  std::string heard;
  EXPECT_EQ(sessions::send_message(with.get(), message, in(milliseconds(2000))),
            sessions::io_result::done);
  sessions::receive_message(with.get(), heard, 4096, in(milliseconds(2000)));
  return heard;
}
sessions::answer answered(const std::string& bytes) {
  return sessions::decode_answer(bytes).value_or(sessions::answer{});
}
sessions::nonce number_in(const sessions::answer& a) {
  return sessions::to_array(a.bytes).value_or(sessions::nonce{});
}
std::string proof_of(const star& job, sessions::speaker who, const sessions::hello& h,
                     const sessions::nonce& n) {
  return sessions::to_bytes(sessions::prove(job.rank(1).secret, who, h, n));
}

TEST(Strangers, RepeatingWhatAMemberSaidAreRefused) {
  const star job(2);
  const sessions::hello said{1, 2, sessions::fresh_nonce()};
  std::string proven;
  {
    std::thread zero([&] { rendezvous all(job.rank(0)); });
    const sessions::socket_fd member = job.connect();
    const auto challenge = answered(converse(member, sessions::encode(said)));
    ASSERT_EQ(challenge.kind, sessions::answer_kind::challenge);
    proven = proof_of(job, sessions::speaker::joiner, said, number_in(challenge));
    const auto welcome = answered(converse(member, proven));
    EXPECT_EQ(welcome.kind, sessions::answer_kind::welcome);
    EXPECT_EQ(welcome.bytes, proof_of(job, sessions::speaker::host, said, number_in(challenge)));
    zero.join();
  }
  // The job's next session, in which a recording of the conversation is played.
  thrown root;
  std::thread zero([&] { root = catch_error([&] { rendezvous all(job.rank(0)); }); });
  const sessions::socket_fd stranger = job.connect();
  EXPECT_EQ(answered(converse(stranger, sessions::encode(said))).kind,
            sessions::answer_kind::challenge);
  const auto last = answered(converse(stranger, proven));
  EXPECT_EQ(last.kind, sessions::answer_kind::refusal);
  EXPECT_NE(last.bytes.find("does not know the job's secret"), std::string::npos) << last.bytes;
  EXPECT_EQ(catch_error([&] { rendezvous all(job.rank(1)); }).code, errc::success);
  zero.join();
  EXPECT_EQ(root.code, errc::success) << root.text;
}

// What rank 0's place answers to a joiner's hello, and then to its proof; what the joiner says
// then.
thrown join_at(const star& job, const std::function<std::string(const sessions::hello&)>& challenge,
               const std::function<std::string(const std::string&)>& welcome) {
  thrown joiner;
  std::thread one([&] { joiner = catch_error([&] { rendezvous all(job.rank(1)); }); });
  {
    const sessions::socket_fd heard = job.accept();
    std::string said;
    sessions::receive_message(heard.get(), said, 4096, in(milliseconds(2000)));
    const auto hello = sessions::decode_hello(said);
    EXPECT_TRUE(hello);
    if (hello) {
      const std::string proven = converse(heard, challenge(*hello));
      sessions::send_message(heard.get(), welcome(proven), in(milliseconds(2000)));
      sessions::send_message(
          heard.get(), sessions::encode(sessions::answer{sessions::answer_kind::complete, ""}),
          in(milliseconds(2000)));
    }
  }
  one.join();
  return joiner;
}

TEST(Strangers, InRankZerosPlaceAreNotTakenForIt) {
  const star job(2, 5);
  const sessions::nonce mine = sessions::fresh_nonce();
  const auto challenge = [&](const sessions::hello&) {
    return sessions::encode(
        sessions::answer{sessions::answer_kind::challenge, sessions::to_bytes(mine)});
  };
  const auto welcome = [](const std::string& bytes) {
    return sessions::encode(sessions::answer{sessions::answer_kind::welcome, bytes});
  };
  sessions::hello earlier;
  std::string genuine;
  const thrown honest = join_at(
      job, [&](const sessions::hello& h) { return earlier = h, challenge(h); },
      [&](const std::string&) {
        genuine = proof_of(job, sessions::speaker::host, earlier, mine);
        return welcome(genuine);
      });
  EXPECT_EQ(honest.code, errc::success) << honest.text;
  for (const std::string what : {"reflected", "repeated", "guessed", "short"}) {
    const thrown t = join_at(job, challenge, [&](const std::string& proven) {
      return welcome(what == "reflected"  ? proven
                     : what == "repeated" ? genuine
                     : what == "guessed"  ? std::string(32, '\0')
                                          : genuine.substr(0, 31));
    });
    EXPECT_EQ(t.code, errc::arg) << what;
    EXPECT_NE(t.text.find("is not rank 0 of this job"), std::string::npos)
        << what << ": " << t.text;
  }
}

// They may refuse, without a proof; their words end in the user's terminal.
TEST(Strangers, InRankZerosPlaceAreQuotedAtNoLengthAndWithoutControlCharacters) {
  const star job(2, 5);
  const std::string noise = "no\n\x1b[2J\x7f\xff" + std::string(60'000, 'x');
  const auto refuse = [&] {
    return sessions::encode(sessions::answer{sessions::answer_kind::refusal, noise});
  };
  const thrown t = join_at(
      job, [&](const sessions::hello&) { return refuse(); },
      [&](const std::string&) { return refuse(); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_EQ(t.text, "rank 0 refused rank 1: no??[2J??" + std::string(200 - 9, 'x'));
}

TEST(Strangers, WithoutTheSecretAreRefusedAndSoIsARankZeroWithoutIt) {
  const star job(2, 1);
  sessions::job_description without = job.rank(1);
  without.secret = "";
  thrown root;
  std::thread zero([&] { root = catch_error([&] { rendezvous all(job.rank(0)); }); });
  const thrown joiner = catch_error([&] { rendezvous all(without); });
  EXPECT_EQ(joiner.code, errc::arg);
  EXPECT_NE(joiner.text.find("ORIEL_JOB_SECRET"), std::string::npos) << joiner.text;
  zero.join();
  EXPECT_EQ(root.code, errc::timed_out);

  sessions::job_description careless = job.rank(0);
  careless.secret = "";
  std::thread bare([&] { root = catch_error([&] { rendezvous all(careless); }); });
  EXPECT_EQ(catch_error([&] { rendezvous all(job.rank(1)); }).code, errc::arg);
  bare.join();
  EXPECT_EQ(root.code, errc::timed_out);
}

// Everything that a joiner says to whoever listens where rank 0 should.
TEST(Strangers, ListeningInRankZerosPlaceLearnNoSecret) {
  const star job(2, 2);
  thrown joiner;
  std::thread one([&] { joiner = catch_error([&] { rendezvous all(job.rank(1)); }); });
  const sessions::socket_fd heard = job.accept();
  std::string said(4096, '\0');
  std::size_t got = 0;
  ASSERT_EQ(
      sessions::receive_some(heard.get(), said.data(), said.size(), got, in(milliseconds(1500))),
      sessions::io_result::done);
  said.resize(got);
  EXPECT_EQ(said.find(job.rank(1).secret), std::string::npos) << "the secret travelled";
  sessions::send_message(heard.get(), "ok", in(milliseconds(500)));
  one.join();
  EXPECT_EQ(joiner.code, errc::arg) << "whoever answers is taken for rank 0";
}

}  // namespace
}  // namespace oriel::testing
