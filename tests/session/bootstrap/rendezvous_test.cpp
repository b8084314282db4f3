// Finding each other: which ranks are let in, which are not, and how long any waits.
#include "session/bootstrap/rendezvous.hpp"

#include <array>
#include <thread>

#include "tests/session/bootstrap/star.hpp"

namespace oriel::testing {
namespace {

using sessions::job_description;
using sessions::rendezvous;

TEST(Rendezvous, GathersInRankOrder) {
  const star job(4);
  std::vector<std::thread> ranks;
  for (int r = 0; r < 4; ++r)
    ranks.emplace_back([&job, r] {
      rendezvous mine(job.rank(r));
      for (int round = 0; round < 3; ++round) {
        const auto all = mine.allgather(std::string(static_cast<std::size_t>(r * 1000), 'a'));
        ASSERT_EQ(all.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(all[i].size(), i * 1000);
      }
    });
  for (std::thread& t : ranks) t.join();
}

TEST(Rendezvous, NamesTheRanksThatDoNotAppearToAllThatDo) {
  const star job(4, 1);
  std::array<thrown, 2> result;
  const auto start = std::chrono::steady_clock::now();
  std::thread other([&] { result[1] = catch_error([&] { rendezvous r(job.rank(2)); }); });
  result[0] = catch_error([&] { rendezvous r(job.rank(0)); });
  other.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  for (const thrown& t : result) {
    EXPECT_EQ(t.code, errc::timed_out);
    EXPECT_NE(t.text.find("did not appear within 1 s (ORIEL_TIMEOUT): 1, 3"), std::string::npos)
        << t.text;
  }
}

TEST(Rendezvous, GivesUpWhenThereIsNoRoot) {
  job_description alone;
  {
    const star gone(2, 1);
    alone = gone.rank(1);
  }
  EXPECT_EQ(catch_error([&] { rendezvous r(alone); }).code, errc::timed_out);
}

TEST(Rendezvous, RefusesStrangersAndGoesOn) {
  const star job(2);
  std::vector<sessions::socket_fd> strangers;
  for (int i = 0; i < 3; ++i) strangers.push_back(job.connect());
  const std::string noise = "GET / HTTP/1.1\r\n\r\n and more noise than a length";
  ASSERT_GT(send(strangers[0].get(), noise.data(), noise.size(), 0), 0);
  const std::uint64_t huge = ~0ull;
  ASSERT_GT(send(strangers[1].get(), &huge, sizeof huge, 0), 0);
  // strangers[2] says nothing at all.
  thrown wrong_secret, wrong_size, root;
  std::thread zero([&] { root = catch_error([&] { rendezvous r(job.rank(0)); }); });
  job_description impostor = job.rank(1);
  impostor.secret = std::string(impostor.secret.size(), '0');
  wrong_secret = catch_error([&] { rendezvous r(impostor); });
  job_description other_size = job.rank(1);
  other_size.size = 3;
  wrong_size = catch_error([&] { rendezvous r(other_size); });
  const thrown honest = catch_error([&] { rendezvous r(job.rank(1)); });
  zero.join();
  EXPECT_EQ(wrong_secret.code, errc::arg);
  EXPECT_NE(wrong_secret.text.find("secret"), std::string::npos) << wrong_secret.text;
  EXPECT_EQ(wrong_size.code, errc::arg);
  EXPECT_NE(wrong_size.text.find("ORIEL_SIZE"), std::string::npos) << wrong_size.text;
  EXPECT_EQ(honest.code, errc::success) << honest.text;
  EXPECT_EQ(root.code, errc::success) << root.text;
}

TEST(Rendezvous, RefusesASecondOfTheSameRank) {
  const star job(3);
  thrown root, second, first, third;
  std::thread zero([&] { root = catch_error([&] { rendezvous r(job.rank(0)); }); });
  std::thread one([&] { first = catch_error([&] { rendezvous r(job.rank(1)); }); });
  std::thread again([&] { second = catch_error([&] { rendezvous r(job.rank(1)); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  third = catch_error([&] { rendezvous r(job.rank(2)); });
  for (std::thread* t : {&zero, &one, &again}) t->join();
  EXPECT_EQ(root.code, errc::success);
  EXPECT_EQ(third.code, errc::success);
  EXPECT_NE(first.code == errc::success, second.code == errc::success);
  const thrown& refused = first.code == errc::success ? second : first;
  EXPECT_NE(refused.text.find("joined already"), std::string::npos) << refused.text;
}

struct two_ends {
  sessions::connection from, to;
  two_ends() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    from = sessions::connection(sessions::socket_fd(ends[0]));
    to = sessions::connection(sessions::socket_fd(ends[1]));
  }
};

TEST(Connection, SendsNothingBehindAPartOfAMessage) {
  two_ends c;
  const std::string more_than_fits(8u << 20, 'x');
  EXPECT_EQ(c.from.send(more_than_fits, in(std::chrono::milliseconds(10))),
            sessions::io_result::late);
  std::string bytes;
  EXPECT_EQ(c.to.read(bytes), sessions::io_result::late);
  // There is room now, and what comes would be read as the rest.
  const std::vector<sessions::connection*> all{&c.from};
  EXPECT_EQ(
      sessions::connection::send_on_each(all, more_than_fits, in(std::chrono::milliseconds(10))),
      std::vector{sessions::io_result::late});
  EXPECT_EQ(c.from.send("why", in(std::chrono::milliseconds(10))), sessions::io_result::late);
  char byte = 0;
  EXPECT_EQ(recv(c.to.fd(), &byte, 1, MSG_DONTWAIT), -1) << "a message amid another";
}

// What comes and is not what is waited for, without a pause.
TEST(Patience, EndsWhereSomethingIsAlwaysReady) {
  two_ends c;
  ASSERT_EQ(send(c.from.fd(), "x", 1, 0), 1);
  pollfd watched{c.to.fd(), POLLIN, 0};
  sessions::patience over(in(std::chrono::milliseconds(-1)));
  EXPECT_TRUE(over.wait({&watched, 1})) << "what had come in time is not looked at";
  EXPECT_FALSE(over.wait({&watched, 1}));
  sessions::patience soon(in(std::chrono::milliseconds(20)));
  const auto begin = std::chrono::steady_clock::now();
  while (soon.wait({&watched, 1})) ASSERT_LT(seconds_since(begin), 10);
  EXPECT_GE(seconds_since(begin), 0.02);
}

TEST(Framing, ListsSurviveAndMalformedOnesDoNot) {
  const std::vector<std::string> items{"", "a", std::string(1000, 'x')};
  EXPECT_EQ(sessions::decode_list(sessions::encode_list(items)), items);
  EXPECT_FALSE(sessions::decode_list("abc"));
  EXPECT_FALSE(sessions::decode_list(std::string(8, '\xff')));
}

}  // namespace
}  // namespace oriel::testing
