// Lines of a process manager: what is one, and what is not.
#include "session/bootstrap/pmi_message.hpp"

#include <gtest/gtest.h>

#include <random>

namespace oriel::testing {
namespace {

using sessions::from_hex;
using sessions::parse_pmi_message;
using sessions::to_hex;

TEST(PmiMessage, ReadsWhatProcessManagersSay) {
  const auto init = parse_pmi_message("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
  ASSERT_TRUE(init);
  EXPECT_EQ(init->command, "response_to_init");
  EXPECT_EQ(init->number("rc", 0, 0), 0);
  EXPECT_EQ(init->number("pmi_version", 1, 1), 1);
  const auto failed = parse_pmi_message("cmd=get_result rc=-1 msg=key_x_not_found value=unknown");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->number("rc", -5, 5), -1);
  EXPECT_EQ(failed->text("msg"), "key_x_not_found");
  EXPECT_TRUE(parse_pmi_message("cmd=barrier_out"));
  EXPECT_TRUE(parse_pmi_message("  cmd=barrier_out  rc=0 ")) << "blanks do not matter";
  EXPECT_EQ(parse_pmi_message("cmd=a v==b=")->text("v"), "=b=");
  EXPECT_EQ(parse_pmi_message("cmd=a v=")->text("v"), "");
}

TEST(PmiMessage, RefusesWhatIsNoMessage) {
  const std::string lines[] = {"",
                               " ",
                               "cmd",
                               "cmd=",
                               "=init",
                               "init",
                               "rc=0 cmd=init",
                               "cmd=init rc",
                               "cmd=init =0",
                               "cmd=init rc=0 rc=0",
                               "cmd=init cmd=init",
                               "cmd=init\trc=0",
                               "cmd=init\rrc=0",
                               std::string("cmd=init\0", 9),
                               "cmd=init v=\xff",
                               "cmd=init v=\x7f",
                               "CMD=init"};
  for (const std::string& line : lines) EXPECT_FALSE(parse_pmi_message(line)) << line;
}

TEST(PmiMessage, RefusesLongLines) {
  const std::string head = "cmd=a v=";
  EXPECT_TRUE(parse_pmi_message(head + std::string(sessions::longest_pmi_line - head.size(), 'x')));
  EXPECT_FALSE(
      parse_pmi_message(head + std::string(sessions::longest_pmi_line - head.size() + 1, 'x')));
}

TEST(PmiMessage, NumbersAreNumbersInRange) {
  const auto m = parse_pmi_message("cmd=a a=12 b=12x c= d=+1 e=0x1 f=99999999999999999999 g=-1");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->number("a", 12, 12), 12);
  EXPECT_FALSE(m->number("a", 13, 20));
  EXPECT_FALSE(m->number("a", 0, 11));
  for (const char* field : {"b", "c", "d", "e", "f", "missing", "cmd"})
    EXPECT_FALSE(m->number(field, -1000, 1000)) << field;
  EXPECT_EQ(m->number("g", -1, 0), -1);
}

TEST(PmiMessage, HexIsExact) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  EXPECT_EQ(from_hex(to_hex(every)), every);
  EXPECT_EQ(to_hex("hi"), "6869");
  EXPECT_EQ(from_hex(""), "");
  for (const char* bad : {"6", "686", "6g", "g6", "6 ", "0x", "AB", "-1"})
    EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(PmiMessage, PrintsStrangersHarmlessly) {
  EXPECT_EQ(sessions::printable("a\x1b[31m\nb"), "a?[31m?b");
  EXPECT_EQ(sessions::printable(std::string(5000, 'x')), std::string(80, 'x') + "…");
}

// Whatever comes, the answer is a message or nothing; and a message has what it must.
TEST(PmiMessage, SurvivesNoise) {
  std::mt19937 random(7);
  const std::string sound = "cmd=get_result rc=0 msg=success value=00ff";
  for (int i = 0; i < 200'000; ++i) {
    std::string line = sound.substr(random() % 8, random() % (sound.size() + 1));
    for (unsigned n = random() % 4; n > 0 && !line.empty(); --n)
      line[random() % line.size()] =
          static_cast<char>(i % 3 == 0 ? random() : " =cmd0\n"[random() % 7]);
    const auto m = parse_pmi_message(line);
    if (!m) continue;
    ASSERT_FALSE(m->command.empty()) << line;
    ASSERT_EQ(line.find('\n'), std::string::npos) << line;
    ASSERT_FALSE(m->fields.contains("")) << line;
    ASSERT_FALSE(m->fields.contains("cmd")) << line;
    const std::string value(m->text("value").value_or(""));
    ASSERT_EQ(to_hex(from_hex(value).value_or("")), from_hex(value) ? value : "");
  }
}

}  // namespace
}  // namespace oriel::testing
