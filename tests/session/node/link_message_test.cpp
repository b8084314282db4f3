// What ranks say over the links by which they watch over each other, in portions of any length.
#include "session/node/link_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace oriel::sessions {
namespace {

constexpr std::uint64_t job = 0x6f7269656c;
constexpr int ranks = 5;

struct heard {
  std::vector<link_hello> hellos;
  std::vector<link_news> news;
  bool malformed = false;
};

heard read(const std::string& bytes, std::size_t portion) {
  link_reader in(job, ranks);
  heard h;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::span<char> room = in.room();
    const std::size_t n = std::min({portion, room.size(), bytes.size() - at});
    EXPECT_GT(n, 0u);
    if (n == 0) break;
    std::memcpy(room.data(), bytes.data() + at, n);
    in.came(n);
    at += n;
    while (const auto one = in.hello()) h.hellos.push_back(*one);
    while (const auto one = in.news()) h.news.push_back(*one);
    h.malformed = in.malformed();
    if (h.malformed) break;
  }
  return h;
}

const link_hello hello{job, 1, 2, 4, 0, fate::silent};

TEST(LinkMessage, IsReadInAnyPortions) {
  std::string bytes = encode(hello);
  std::vector<link_news> all;
  for (std::uint32_t i = 1; i <= 300; ++i) {
    all.push_back({static_cast<link_news::about>(i % 4), i, 1, static_cast<int>(1 + i % 4)});
    bytes += encode(all.back());
  }
  for (const std::size_t portion : {1, 7, 40, 56, 1000, 100'000}) {
    const heard h = read(bytes, portion);
    EXPECT_FALSE(h.malformed);
    EXPECT_EQ(h.hellos, std::vector<link_hello>{hello});
    EXPECT_EQ(h.news, all);
  }
}

TEST(LinkMessage, OfAnotherJobOrOfNoneIsMalformed) {
  const auto is_malformed = [](const std::string& bytes) {
    const heard h = read(bytes, 16);
    return h.malformed && h.hellos.empty() && h.news.empty();
  };
  EXPECT_TRUE(is_malformed("GET / HTTP/1.1\r\n"));
  EXPECT_TRUE(is_malformed("X"));
  const auto with = [](auto change) {
    link_hello h = hello;
    change(h);
    return encode(h);
  };
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.job ^= 1; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.from = ranks; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.from = -1; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.to = ranks; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.to = h.from; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.living = 0; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.living = ranks + 1; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.lowest = -1; })));
  EXPECT_TRUE(is_malformed(with([](link_hello& h) { h.takes = static_cast<fate>(6); })));
  EXPECT_FALSE(is_malformed(encode(hello)));
}

TEST(LinkMessage, NewsOfNobodyIsMalformed) {
  for (const link_news& bad : {link_news{link_news::about::ended, 0, -1, 0},
                               link_news{link_news::about::ended, 0, 0, ranks},
                               link_news{link_news::about::ended, 0, 3, 2},
                               link_news{static_cast<link_news::about>(4), 0, 1, 1},
                               link_news{link_news::about::present, 0, 1, 1}}) {
    const link_news good{link_news::about::silent, 0, 1, 1};
    const heard h = read(encode(hello) + encode(good) + encode(bad) + encode(good), 1000);
    EXPECT_TRUE(h.malformed);
    EXPECT_EQ(h.news, std::vector<link_news>{good}) << "what came before it stands";
  }
}

}  // namespace
}  // namespace oriel::sessions
