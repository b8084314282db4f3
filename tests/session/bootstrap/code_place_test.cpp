#include "session/bootstrap/code_place.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "session/bootstrap/finding.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::sessions {
namespace {

[[gnu::noinline]] call_site called_here() {
  return call_site::returning_to(__builtin_return_address(0));
}
[[gnu::noinline]] call_site in_a_function_with_this_name() {
  const call_site at = called_here();
  asm volatile("" ::: "memory");  // the call above is no tail call
  return at;
}

bool has_addr2line() {
  return std::system("addr2line --version >/dev/null 2>&1") == 0;
}

TEST(CodePlace, IsTheProgramsAndTheSameInEveryProcess) {
  const code_place first = find_code(called_here().file), second = find_code(called_here().file);
  EXPECT_EQ(first.file, "/proc/self/exe");
  EXPECT_LT(first.offset, 1u << 30) << "not where the program happens to be loaded";
  EXPECT_LT(first.offset, second.offset);
}

TEST(CodePlace, OfALibraryNamesIt) {
  const auto in_library = reinterpret_cast<const char*>(&std::abort) + 1;
  EXPECT_NE(find_code(in_library).file.find("libc"), std::string_view::npos);
}

TEST(CodePlace, NamesTheFunctionThatCalls) {
  if (!has_addr2line()) GTEST_SKIP() << "needs addr2line";
  const std::string words = in_words(find_code(in_a_function_with_this_name().file));
  EXPECT_NE(words.find(" in "), std::string::npos) << words;
  EXPECT_NE(words.find("in_a_function_with_this_name"), std::string::npos) << words;
}

TEST(CodePlace, IsAnOffsetWhereNobodyFindsOutMore) {
  const testing::scoped_variable no_path("PATH", "/nowhere");
  const std::string words = in_words(find_code(called_here().file));
  EXPECT_NE(words.find("code_place+0x"), std::string::npos) << words;
  EXPECT_EQ(words.find(" in "), std::string::npos) << words;
  EXPECT_EQ(in_words(find_code(nullptr)), "code of no file");
}

TEST(CodePlace, OfSourcesIsFileAndLine) {
  EXPECT_EQ(in_words(call_site{"main.cpp", 17}), "main.cpp:17");
  EXPECT_EQ(in_words(call_site{"a caller of C", 0}), "a caller of C");
}

// Two calls in machine code are two findings, whatever their lines.
TEST(CodePlace, OfAFindingIsPrintedOnceEach) {
  findings found(checking::report);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    found.report("a put of " + std::to_string(i), called_here());
    found.report("a put of " + std::to_string(i), called_here());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "oriel: ORIEL_CHECK: a put of 0\noriel: ORIEL_CHECK: a put of 0\n");
}

}  // namespace
}  // namespace oriel::sessions
