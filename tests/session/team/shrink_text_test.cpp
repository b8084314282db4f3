// What ranks tell each other of survivors is read as it was written, and nothing else is.
#include "session/team/shrink_text.hpp"

#include <gtest/gtest.h>

namespace oriel::sessions {
namespace {

using kind = shrink_text::kind;

TEST(ShrinkText, IsReadAsItWasWritten) {
  for (const kind what : {kind::report, kind::answer, kind::question})
    for (const verdict found : {verdict::agreed, verdict::unready, verdict::cut_off}) {
      const shrink_text written{what, found, {0, 4, 2}};
      const auto read = shrink_text::read(written.written(5), 5);
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->what, what);
      EXPECT_EQ(read->found, found);
      EXPECT_EQ(read->ranks, written.ranks);
    }
}

TEST(ShrinkText, StandsForAnAnswer) {
  const shrink_answer a{verdict::agreed, {true, false, true, false}};
  const shrink_text t = shrink_text::of(a);
  EXPECT_EQ(t.what, kind::answer);
  EXPECT_EQ(t.ranks, (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(t.answer(4).living, a.living);
  EXPECT_EQ(shrink_text::of({verdict::unready, {}}).answer(4).found, verdict::unready);
}

TEST(ShrinkText, IsNothingElse) {
  const std::vector<std::byte> good = shrink_text{kind::answer, verdict::agreed, {3}}.written(4);
  ASSERT_TRUE(shrink_text::read(good, 4).has_value());
  EXPECT_FALSE(shrink_text::read(good, 5).has_value());  // of another team
  EXPECT_FALSE(shrink_text::read(std::span(good).first(good.size() - 1), 4).has_value());
  EXPECT_FALSE(shrink_text::read(std::span(good).first(2), 4).has_value());
  EXPECT_FALSE(shrink_text::read({}, 4).has_value());
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{9}}) {
    std::vector<std::byte> bad = good;
    bad[at] = std::byte{0xff};
    EXPECT_FALSE(shrink_text::read(bad, 4).has_value()) << at;
  }
}

}  // namespace
}  // namespace oriel::sessions
