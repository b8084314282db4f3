// What the interpreter's instructions on bits and floating-point numbers give, by the PTX manual,
// and variables of modules.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/drivers/ptx/by_hand.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::string stored(const std::string& code) {
  return kernel(code + "\nst.global.u64 [%rd1], %rd4;");
}
std::uint64_t result_of(const std::string& code) {
  words memory(1);
  launch(stored(code), memory, 1, 1);
  return memory[0];
}
std::string refusal_of(const std::string& text) {
  try {
    words memory(1);
    launch(text, memory, 1, 1);
    return "";
  } catch (const error& e) {
    return e.what();
  } catch (const kernel_failure& e) {
    return e.what();
  }
}

TEST(Instructions, OnBitsGiveWhatTheManualSays) {
  struct {
    const char* code;  // of %r4
    std::uint32_t value;
  } const cases[] = {
      {"popc.b32 %r4, 0xf0f0;", 8},
      {"mov.u64 %rd5, -1; popc.b64 %r4, %rd5;", 64},
      {"clz.b32 %r4, 0x00010000;", 15},
      {"clz.b32 %r4, 0;", 32},
      {"brev.b32 %r4, 0x80000001;", 0x80000001},
      {"brev.b32 %r4, 6;", 0x60000000},
      {"bfe.u32 %r4, 0x12345678, 8, 8;", 0x56},
      {"bfe.s32 %r4, 0x00008000, 8, 8;", 0xffffff80},
      {"bfe.u32 %r4, 0xffffffff, 28, 8;", 0xf},
      {"bfe.s32 %r4, 0x80000000, 28, 8;", 0xfffffff8},
      {"bfind.u32 %r4, 0x00008000;", 15},
      {"bfind.shiftamt.u32 %r4, 0x00008000;", 16},
      {"bfind.s32 %r4, -1;", 0xffffffff},
      {"bfind.s32 %r4, -3;", 1},
      {"prmt.b32 %r4, 0x33221100, 0x77665544, 0x7410;", 0x77441100},
      {"prmt.b32 %r4, 0x80, 0, 0x1118;", 0x000000ff},
      {"shf.l.wrap.b32 %r4, 0x80000000, 1, 33;", 3},
      {"shf.r.clamp.b32 %r4, 1, 0x55, 40;", 0x55},
      {"shf.r.wrap.b32 %r4, 0x10, 1, 4;", 0x10000001},
  };
  for (const auto& c : cases)
    EXPECT_EQ(result_of(std::string(c.code) + "cvt.u64.u32 %rd4, %r4;"), c.value) << c.code;
}

TEST(Instructions, OnRealNumbersRoundAsTheySay) {
  struct {
    const char* code;  // of %fd3
    double value;
  } const cases[] = {
      {"mov.f64 %fd1, 0d4000000000000000; fma.rn.f64 %fd3, %fd1, %fd1, %fd1;", 6},
      {"mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0d4008000000000000;"
       "div.rm.f64 %fd3, %fd1, %fd2;",
       0x1.5555555555555p-2},
      {"mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0d4008000000000000;"
       "div.rp.f64 %fd3, %fd1, %fd2;",
       0x1.5555555555556p-2},
      {"mov.f64 %fd1, 0d4010000000000000; sqrt.rn.f64 %fd3, %fd1;", 2},
      {"mov.f64 %fd1, 0dC000000000000000; abs.f64 %fd3, %fd1;", 2},
      {"mov.f64 %fd1, 0d7FF8000000000000; mov.f64 %fd2, 0d4000000000000000;"
       "min.f64 %fd3, %fd1, %fd2;",
       2},
      {"mov.f32 %r2, 0f40200000; cvt.rni.f32.f32 %r3, %r2; cvt.f64.f32 %fd3, %r3;", 2},
      {"mov.f32 %r2, 0f40200000; cvt.rpi.f32.f32 %r3, %r2; cvt.f64.f32 %fd3, %r3;", 3},
      {"mov.f32 %r2, 0fBFC00000; cvt.rmi.s32.f32 %r3, %r2; cvt.rn.f64.s32 %fd3, %r3;", -2},
      {"mov.f32 %r2, 0f40200000; cvt.sat.f32.f32 %r3, %r2; cvt.f64.f32 %fd3, %r3;", 1},
      {"mov.f32 %r2, 0f40000000; ex2.approx.ftz.f32 %r3, %r2; cvt.f64.f32 %fd3, %r3;", 4},
      {"mov.f32 %r2, 0f00000001; add.ftz.f32 %r3, %r2, %r2; cvt.f64.f32 %fd3, %r3;", 0},
      {"mov.f64 %fd1, 0d3FF0000010000000; cvt.rp.f32.f64 %r3, %fd1; cvt.f64.f32 %fd3, %r3;",
       1 + 0x1p-23},
      {"mov.f64 %fd1, 0d3FF0000010000000; cvt.rz.f32.f64 %r3, %fd1; cvt.f64.f32 %fd3, %r3;", 1},
  };
  for (const auto& c : cases)
    EXPECT_EQ(std::bit_cast<double>(result_of(std::string(c.code) + "mov.b64 %rd4, %fd3;")),
              c.value)
        << c.code;
}

TEST(Instructions, CountersWrapWhereTheyAreTold) {
  const std::string six =
      "mov.u64 %rd6, 6;\n$again:\natom.global.inc.u32 %r4, [%rd1], 3;\nadd.s64 %rd6, %rd6, -1;\n"
      "setp.ne.s64 %p1, %rd6, 0;\n@%p1 bra $again;\natom.global.dec.u32 %r5, [%rd1+4], 9;\n";
  words memory(1);
  launch(kernel(six), memory, 1, 1);
  EXPECT_EQ(memory[0], 9ull << 32 | 2);
}

TEST(Instructions, LanesVote) {
  const std::string body = my_word +
                           "setp.lt.u32 %p1, %r1, 5;\nvote.sync.ballot.b32 %r4, %p1, 255;\n"
                           "vote.sync.any.pred %p2, !%p1, 255;\nselp.b32 %r5, 256, 0, %p2;\n"
                           "vote.sync.all.pred %p2, %p1, 255;\nselp.b32 %r6, 512, 0, %p2;\n"
                           "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n"
                           "cvt.u64.u32 %rd4, %r4;\nst.global.u64 [%rd3], %rd4;";
  words memory(8);
  launch(kernel(body), memory, 1, 8);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(memory[i], 31u + 256);
}

TEST(Instructions, OthersThatLookAlikeAreRefused) {
  for (const char* code :
       {"fma.f64 %fd3, %fd1, %fd1, %fd1;", "sin.f32 %r3, %r2;", "popc.u32 %r4, %r2;",
        "shf.l.b32 %r4, %r2, %r2, %r2;", "cvt.rzi.s32.s32 %r4, %r2;", "cvt.f32.f64 %r4, %fd1;",
        "cvt.s32.f32 %r4, %r2;", "vote.ballot.b32 %r4, %p1;", "atom.global.inc.s32 %r4, [%rd1], 1;",
        "cvt.sat.u8.s32 %r4, %r2;", "st.const.u32 [%rd1], %r2;", "add.rni.f32 %r3, %r2, %r2;"})
    EXPECT_NE(refusal_of(kernel(code)).find("unknown instruction"), std::string::npos) << code;
  EXPECT_NE(refusal_of(kernel("trap;")).find("has trapped"), std::string::npos);
}

TEST(Instructions, CallsOfWhatNoModuleDefinesAreRefused) {
  const std::string text =
      kernel("{ .param .b32 p0; st.param.b32 [p0+0], %r1; call.uni other, (p0); }",
             ".extern .func other (.param .b32 other_0);\n");
  EXPECT_NE(refusal_of(text).find("no function other"), std::string::npos);
}

TEST(Variables, HaveTheirFirstValuesAndKeepWhatIsWritten) {
  const std::string variables =
      ".visible .global .align 4 .u32 counted = 5;\n"
      ".const .align 8 .b8 table[16] = {1, 0, 0, 0, 0, 0, 0, 0, 255};\n"
      ".global .align 8 .u64 to[2] = {generic(counted), table+8};\n"
      ".global .align 8 .f64 half = 0d3FE0000000000000;\n"
      ".global .align 4 .s32 below = -2;\n";
  const std::string body =
      "ld.global.u64 %rd5, [to];\nld.u32 %r2, [%rd5];\nadd.u32 %r2, %r2, 1;\n"
      "st.global.u32 [counted], %r2;\nld.global.u64 %rd6, [to+8];\nld.u64 %rd7, [%rd6];\n"
      "mov.u64 %rd8, table;\ncvta.const.u64 %rd8, %rd8;\nld.u64 %rd9, [%rd8];\n"
      "ld.global.u32 %r3, [counted];\nld.const.u8 %rs1, [table+8];\nld.global.f64 %fd1, [half];\n"
      "add.f64 %fd1, %fd1, %fd1;\ncvt.rzi.u64.f64 %rd4, %fd1;\nadd.u64 %rd4, %rd4, %rd7;\n"
      "add.u64 %rd4, %rd4, %rd9;\nmul.wide.u32 %rd5, %r3, 1000;\nadd.u64 %rd4, %rd4, %rd5;\n"
      "ld.global.s32 %rd5, [below];\nadd.u64 %rd4, %rd4, %rd5;\nst.global.u64 [%rd1], %rd4;";
  words memory(1);
  launch(kernel(body, variables), memory, 1, 1);
  EXPECT_EQ(memory[0], 1u + 255 + 1 + 6 * 1000 - 2);
}

TEST(Variables, ThatAreNotThereAreRefusedWithTheirLine) {
  const std::string use = "ld.global.u32 %r2, [x];";
  EXPECT_EQ(refusal_of(kernel(use, ".global .u64 y = x;\n")), "PTX line 4: no variable x");
  EXPECT_NE(refusal_of(kernel(use)).find("no variable x"), std::string::npos);
  EXPECT_NE(refusal_of(kernel(use, ".extern .global .u32 x;\n")).find("of another module"),
            std::string::npos);
  EXPECT_NE(refusal_of(kernel(use, ".global .u32 x[2] = {1, 2, 3};\n")).find("more initial values"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(kernel("ld.global.u32 %r2, [x+8];", ".global .u32 x;\n")).find("out of bounds"),
      std::string::npos);
}

TEST(Variables, SharedOnesWithoutASizeHaveTheLaunchs) {
  const std::string shared =
      ".extern .shared .align 16 .b8 rest[];\n.shared .align 4 .b8 own[4];\n";
  EXPECT_NE(refusal_of(kernel("st.shared.u32 [own], %r1;\nst.shared.u32 [rest], %r1;", shared))
                .find("bounds of shared memory"),
            std::string::npos);
}

}  // namespace
}  // namespace oriel::test_driver::ptx
