// Lines of a lane are read when they are whole and in their turn, and never else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "transport/lane_line.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t job = 0x6f7269656c;
constexpr std::uint32_t turn = 1234567;

message_head asked() {
  message_head h;
  h.job = job;
  h.addressee = 0xadd4e55ee;
  h.cookie = 77;
  h.from = 3;
  h.kind = message_kind::request;
  h.call = 4;
  h.carry(std::uint64_t{0xb0d1e5});
  return h;
}

const std::array<std::byte, lane_line::most> full{std::byte{9}, std::byte{8}, std::byte{7}};

TEST(LaneLine, GivesBackTheMessageThatWasPutInIt) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, lane_line::most}) {
    message_head sent = asked();
    sent.bytes = static_cast<std::uint32_t>(n);
    lane_line at = line_of(sent, std::span(full).first(n), 5, 3, turn);
    const auto line = read_line(at, job, turn);
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(line->behind, 5u);
    EXPECT_EQ(line->taken, 3u);
    const auto m = message_of(*line, job, sent.from);
    ASSERT_TRUE(m.has_value());
    EXPECT_EQ(std::memcmp(&m->head, &sent, sizeof sent), 0);
    ASSERT_EQ(m->payload.size(), n);
    EXPECT_TRUE(std::equal(m->payload.begin(), m->payload.end(), full.begin()));
  }
}

TEST(LaneLine, IsReadInItsTurnAlone) {
  lane_line at = line_of(asked(), full, 0, 0, turn);
  EXPECT_FALSE(read_line(at, job, turn + 16));
  EXPECT_FALSE(read_line(at, job, turn - 16));
  EXPECT_FALSE(read_line(at, job + 1, turn));
  EXPECT_TRUE(read_line(at, job, turn));
  lane_line empty;
  EXPECT_FALSE(read_line(empty, job, turn));
}

// Whichever of its words have not arrived yet.
TEST(LaneLine, IsReadWhenAllOfItIsThere) {
  const lane_line before = line_of(asked(), std::span(full).first(1), 4, 0, turn - 16);
  const lane_line after = line_of(asked(), full, 6, 0, turn);
  constexpr std::size_t words = sizeof(lane_line) / sizeof(std::uint64_t);
  for (unsigned there = 0; there < 1u << words; ++there) {
    lane_line at = before;
    for (std::size_t w = 0; w < words; ++w)
      if ((there >> w & 1) != 0)
        std::memcpy(reinterpret_cast<std::byte*>(&at) + w * 8,
                    reinterpret_cast<const std::byte*>(&after) + w * 8, 8);
    EXPECT_EQ(read_line(at, job, turn).has_value(), std::memcmp(&at, &after, sizeof at) == 0)
        << "words that are there: " << there;
  }
}

TEST(LaneLine, StandsBehindAPayloadThatDoesNotFitIt) {
  const auto at = std::make_unique<long_line>();
  for (const std::size_t n : {longest_payload + 1, std::size_t{40000}, longest_unordered_payload}) {
    const std::vector<std::byte> bytes(n, std::byte{7});
    message_head sent = asked();
    sent.bytes = static_cast<std::uint32_t>(n);
    at->line = line_of(sent, bytes, 5, 3, turn);
    const auto line = read_line(at->line, job, turn);
    ASSERT_TRUE(line.has_value());
    const auto m = at->message_of(*line, job, sent.from);
    ASSERT_TRUE(m.has_value());
    EXPECT_EQ(std::memcmp(&m->head, &sent, sizeof sent), 0);
    EXPECT_EQ(m->payload.data() + n, reinterpret_cast<const std::byte*>(&at->line));
    EXPECT_EQ(m->payload.size(), n);
  }
  for (const std::size_t n :
       {std::size_t{0}, lane_line::most + 1, longest_payload, longest_unordered_payload + 1,
        long_line::most, long_line::most + 1}) {
    at->line.bytes = static_cast<std::uint16_t>(n);
    EXPECT_FALSE(at->message_of(at->line, job, 0)) << n;
  }
}

TEST(LaneLine, HoldsNoMessageThatRanksDoNotWrite) {
  message_head h = asked();
  h.kind = message_kind::bye;
  EXPECT_FALSE(message_of(line_of(h, {}, 0, 0, turn), job, 0));
  h.kind = message_kind::reply;
  h.carry(~std::uint64_t{0});
  EXPECT_FALSE(message_of(line_of(h, {}, 0, 0, turn), job, 0));
  lane_line longer = line_of(asked(), full, 0, 0, turn);
  longer.bytes = lane_line::most + 1;
  EXPECT_FALSE(message_of(longer, job, 0));
}

}  // namespace
}  // namespace oriel::transport
