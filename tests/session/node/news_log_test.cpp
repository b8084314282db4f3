// News is passed on when it is due, to everyone but whoever has said it, and in few messages.
#include "session/node/news_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <vector>

namespace oriel::sessions {
namespace {

using about = link_news::about;
using std::chrono::seconds;

const news_log::clock::time_point start{};

// What `peer` gets of all that is released.
std::vector<link_news> told(const news_log& log, int peer, std::size_t at = 0) {
  std::string out = encode(link_hello{1, 1, 0, 1, 0, fate::here});
  for (std::size_t next = log.append_to(out, at, peer, 7); next != at;
       next = log.append_to(out, at, peer, 7))
    at = next;
  link_reader in(1, 1 << 20);
  std::vector<link_news> all;
  for (std::size_t read = 0; read < out.size();) {
    const std::size_t n = std::min(in.room().size(), out.size() - read);
    std::memcpy(in.room().data(), out.data() + read, n);
    in.came(n);
    read += n;
    in.hello();
    while (const auto one = in.news()) all.push_back(*one);
  }
  EXPECT_FALSE(in.malformed());
  return all;
}

TEST(NewsLog, IsPassedOnWhenItIsDueWithAllThatIsThere) {
  news_log log;
  EXPECT_EQ(log.release(start), news_log::clock::time_point::max());
  log.add(3, about::leaving, 0, start + seconds(2));
  EXPECT_EQ(log.release(start), start + seconds(2));
  EXPECT_TRUE(told(log, 1).empty());
  log.add(5, about::ended, 0, start + seconds(1));
  log.add(4, about::leaving, 0, start + seconds(3));
  EXPECT_EQ(log.release(start), start + seconds(1));
  EXPECT_EQ(log.release(start + seconds(1)), news_log::clock::time_point::max());
  EXPECT_EQ(told(log, 1),
            (std::vector<link_news>{{about::leaving, 7, 3, 4}, {about::ended, 7, 5, 5}}));
}

TEST(NewsLog, IsNotToldToWhoeverSaidIt) {
  news_log log;
  log.add(3, about::ended, 1, start);
  log.add(5, about::ended, 2, start);
  log.release_all();
  EXPECT_EQ(told(log, 1), (std::vector<link_news>{{about::ended, 7, 5, 5}}));
  EXPECT_EQ(told(log, 2), (std::vector<link_news>{{about::ended, 7, 3, 3}}));
  EXPECT_EQ(told(log, 3).size(), 2u);
}

TEST(NewsLog, OfManyRanksTakesFewMessages) {
  constexpr int many = 100'000;
  news_log log;
  for (int i = 0; i < many; ++i) log.add(i * 7919 % many, about::ended, many, start);
  log.release_all();
  std::string out;
  const std::size_t some = log.append_to(out, 0, 1);
  EXPECT_LT(some, std::size_t{many}) << "not all at once";
  std::vector<bool> heard(many);
  for (const link_news& n : told(log, 1))
    for (int r = n.first; r <= n.last; ++r) heard[static_cast<std::size_t>(r)] = true;
  EXPECT_EQ(std::count(heard.begin(), heard.end(), true), many);
  news_log ordered;
  for (int i = 0; i < 4000; ++i) ordered.add(3999 - i, about::silent, many, start);
  ordered.release_all();
  EXPECT_EQ(told(ordered, 1), (std::vector<link_news>{{about::silent, 7, 0, 3999}}));
}

TEST(NewsLog, KeepsTheOrderOfWhatIsSaidOfOneRank) {
  news_log log;
  log.add(3, about::silent, 0, start);
  log.add(3, about::ended, 0, start);
  log.release_all();
  EXPECT_EQ(told(log, 1),
            (std::vector<link_news>{{about::silent, 7, 3, 3}, {about::ended, 7, 3, 3}}));
}

}  // namespace
}  // namespace oriel::sessions
