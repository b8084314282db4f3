#include "session/utf8_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace oriel::sessions {
namespace {

std::string mended(std::string text) {
  make_utf8(text);
  return text;
}

TEST(Utf8Text, LeavesCharactersAsTheyAre) {
  for (const std::string text :
       {"", "plain", "\u00e9\u00fc", "\u6f22\u5b57", "\U0001f600", "\x01\x7f"})
    EXPECT_EQ(mended(text), text);
}

TEST(Utf8Text, MarksWhatIsNoCharacter) {
  EXPECT_EQ(mended("a\xff"
                   "b\xfe"),
            "a?b?");
  EXPECT_EQ(mended("\x80"
                   "a"),
            "?a");                 // follows nothing
  EXPECT_EQ(mended("\xc3"), "?");  // is followed by nothing
  EXPECT_EQ(mended("\xe6\xbc"
                   "a"),
            "??a");                     // by too little
  EXPECT_EQ(mended("\xc0\x80"), "??");  // longer than it need be
  EXPECT_EQ(mended("\xe0\x9f\xbf"), "???");
  EXPECT_EQ(mended("\xf0\x8f\xbf\xbf"), "????");
  EXPECT_EQ(mended("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(mended("\xf4\x90\x80\x80"), "????");  // beyond the last
}

TEST(Utf8Text, IsCutBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abc", 2), "ab");
  EXPECT_EQ(cut_text("a\u00e9", 2), "a");
  EXPECT_EQ(cut_text("a\u00e9", 3), "a\u00e9");
  EXPECT_EQ(cut_text("\U0001f600", 3), "");
  EXPECT_EQ(cut_text("\U0001f600\U0001f600", 7), "\U0001f600");
  const std::string none(10, '\x80');
  EXPECT_EQ(cut_text(none, 6).size(), 6u);  // what is no text is cut anywhere
}

}  // namespace
}  // namespace oriel::sessions
