// Messages are received once, or answered once, whichever comes first: the message or the answer.
#include "transport/inbox.hpp"

#include <gtest/gtest.h>

namespace oriel::transport {
namespace {

using bytes = std::vector<std::byte>;

bytes text(const char* letters) {
  bytes b;
  for (; *letters != 0; ++letters) b.push_back(static_cast<std::byte>(*letters));
  return b;
}

constexpr std::uint64_t group = 9;
constexpr std::uint32_t asked = 3, told = 4;
const bytes answer = text("an answer");
const bytes question = text("question");

TEST(Inbox, GivesAMessageOnceItIsWhole) {
  inbox in;
  bytes got;
  EXPECT_TRUE(in.put(1, {group, asked, 0}, std::span(question).first(3), question.size()));
  EXPECT_FALSE(in.take(1, {group, asked, 0}, got));
  EXPECT_TRUE(in.put(1, {group, asked, 0}, std::span(question).subspan(3), question.size()));
  EXPECT_TRUE(in.take(1, {group, asked, 0}, got));
  EXPECT_EQ(got, question);
  EXPECT_FALSE(in.take(1, {group, asked, 0}, got));
}

TEST(Inbox, AnswersWhatHasArrivedAndWhatArrives) {
  inbox in;
  ASSERT_TRUE(in.put(1, {group, asked, 7}, question, question.size()));
  ASSERT_TRUE(in.put(1, {group, asked + 1, 7}, question, question.size()));
  ASSERT_TRUE(in.put(1, {group + 1, asked, 7}, question, question.size()));
  ASSERT_TRUE(in.put(2, {group, asked, 0}, std::span(question).first(3), question.size()));
  EXPECT_FALSE(in.answers_any());
  const auto before = in.answer({group, asked, told, answer, {}});
  EXPECT_TRUE(in.answers_any());
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].to, 1);
  EXPECT_EQ(before[0].tag, (sessions::message_tag{group, told, 7}));
  EXPECT_EQ(*before[0].bytes, answer);
  // Not before it is whole, and once.
  EXPECT_TRUE(in.replies_to(2, {group, asked, 0}).empty());
  ASSERT_TRUE(in.put(2, {group, asked, 0}, std::span(question).subspan(3), question.size()));
  const auto later = in.replies_to(2, {group, asked, 0});
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].to, 2);
  EXPECT_TRUE(in.replies_to(2, {group, asked, 0}).empty());
  // Others are left alone.
  bytes got;
  EXPECT_TRUE(in.replies_to(1, {group, asked + 1, 7}).empty());
  EXPECT_TRUE(in.take(1, {group, asked + 1, 7}, got));
  EXPECT_TRUE(in.take(1, {group + 1, asked, 7}, got));
}

TEST(Inbox, DropsWhatIsNotToBeAnswered) {
  inbox in;
  ASSERT_TRUE(in.put(1, {group, asked, 7}, question, question.size()));
  EXPECT_TRUE(in.answer({group, asked, told, answer, {1, 3}}).empty());
  bytes got;
  EXPECT_FALSE(in.take(1, {group, asked, 7}, got));
}

}  // namespace
}  // namespace oriel::transport
