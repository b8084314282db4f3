// Hand-written kernels on the interpreter of PTX: what instructions give, what is reported, and
// what a schedule shows.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "tests/drivers/ptx/by_hand.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::string failure_of(const std::string& text, unsigned threads = 1) {
  words memory(64);
  try {
    launch(text, memory, 1, threads);
    return "";
  } catch (const kernel_failure& e) {
    return e.what();
  } catch (const error& e) {
    return e.what();
  }
}

TEST(Ptx, InstructionsGiveWhatTheManualSays) {
  struct {
    const char* code;  // of %rd4
    std::uint64_t value;
  } const cases[] = {
      {"mov.u64 %rd4, -3;", ~std::uint64_t{2}},
      {"mov.u32 %r2, -1; mul.wide.u32 %rd4, %r2, %r2;", 0xfffffffe00000001},
      {"mov.u32 %r2, -2; mul.wide.s32 %rd4, %r2, 3;", ~std::uint64_t{5}},
      {"mov.u64 %rd5, -1; mul.hi.u64 %rd4, %rd5, 16;", 15},
      {"mov.u32 %r2, -8; cvt.s64.s32 %rd5, %r2; shr.s64 %rd4, %rd5, 1;", ~std::uint64_t{3}},
      {"mov.u64 %rd5, 1; shl.b64 %rd4, %rd5, 64;", 0},
      {"mov.u64 %rd5, 255; mov.u64 %rd6, 0; bfi.b64 %rd4, %rd5, %rd6, 8, 4;", 0xf00},
      {"mov.u32 %r2, 200; cvt.s32.s8 %r3, %r2; cvt.s64.s32 %rd4, %r3;", ~std::uint64_t{55}},
      {"mov.u32 %r2, 1; mov.u32 %r3, 2; mov.b64 %rd4, {%r2, %r3};", 0x200000001},
      {"mov.u64 %rd5, -9; mov.u64 %rd6, 2; div.s64 %rd4, %rd5, %rd6;", ~std::uint64_t{3}},
      {"mov.f64 %fd1, 0d3FF8000000000000; add.f64 %fd2, %fd1, %fd1; mov.b64 %rd4, %fd2;",
       0x4008000000000000},
      {"mov.f64 %fd1, 0d7FF8000000000000; setp.neu.f64 %p1, %fd1, %fd1;"
       "selp.u64 %rd4, 7, 8, %p1;",
       7},
      {"mov.f64 %fd1, 0d7FF8000000000000; setp.ne.f64 %p1, %fd1, %fd1;"
       "selp.u64 %rd4, 7, 8, %p1;",
       8},
      {"setp.eq.s32 %p1, 1, 1; not.pred %p2, %p1; @%p2 mov.u64 %rd4, 1; @!%p2 mov.u64 %rd4, 2;", 2},
  };
  for (const auto& c : cases) {
    words memory(1);
    launch(kernel(std::string(c.code) + "\nst.global.u64 [%rd1], %rd4;"), memory, 1, 1);
    EXPECT_EQ(memory[0], c.value) << c.code;
  }
}

TEST(Ptx, FunctionsAreCalledWithTheirParameters) {
  const std::string twice =
      ".func (.param .b64 func_retval0) twice(.param .b64 twice_param_0)\n{\n.reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [twice_param_0];\nadd.s64 %rd2, %rd1, %rd1;\n"
      "st.param.b64 [func_retval0+0], %rd2;\nret;\n}\n";
  const std::string call =
      "cvt.u64.u32 %rd4, %r1;\n{ .param .b64 param0; st.param.b64 [param0+0], %rd4;\n"
      ".param .b64 retval0; call.uni (retval0), twice, (param0);\n"
      "ld.param.b64 %rd5, [retval0+0]; }\nst.global.u64 [%rd3], %rd5;";
  words memory(40);
  launch(kernel(my_word + call, twice), memory, 1, 40);
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(memory[i], 2 * i);
}

// Lanes part, wait for different times, and meet at the shuffle.
TEST(Ptx, LanesThatPartMeetAgain) {
  const std::string body = my_word +
                           "mov.u32 %r2, %r1;\n$again:\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra $met;\n"
                           "add.s32 %r2, %r2, -1;\nbra.uni $again;\n$met:\n"
                           "shfl.sync.idx.b32 %r3|%p2, %r1, 5, 31, -1;\ncvt.u64.u32 %rd4, %r3;\n"
                           "st.global.u64 [%rd3], %rd4;";
  for (const policy how : {policy::in_turn, policy::random, policy::starved, policy::atomics}) {
    words memory(32);
    launch(kernel(body), memory, 1, 32, schedule(3, how, 0));
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(memory[i], 5u);
  }
}

TEST(Ptx, AThreadsLoopOfAtomicsLosesNothing) {
  const std::string body =
      "atom.global.add.u64 %rd4, [%rd1], 1;\nred.global.add.u64 [%rd1+8], %rd4;";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    words memory(2);
    launch(kernel(body), memory, 4, 64, schedule(seed, static_cast<policy>(seed % 4), 0));
    EXPECT_EQ(memory[0], 256u) << "seed " << seed;
    EXPECT_EQ(memory[1], 255u * 256 / 2) << "seed " << seed;
  }
}

TEST(Ptx, WhatKernelsDoWrongIsReportedWithItsLine) {
  const auto says = [](const std::string& told, const char* what) {
    EXPECT_NE(told.find(what), std::string::npos) << told;
    EXPECT_NE(told.find("PTX line "), std::string::npos) << told;
  };
  const std::string shared = ".shared .align 8 .b8 room[64];\n";
  says(failure_of(kernel("frobnicate.u32 %r2, %r1;")), "unknown instruction frobnicate.u32");
  says(failure_of(kernel("add.sat.s32 %r2, %r1, 1;")), "PTX line 13: unknown instruction add.sat");
  says(failure_of(kernel("ld.global.u64 %rd4, [%rd1+512];")), "out of bounds");
  says(failure_of(kernel("ld.global.u32 %r4, [%rd1+2];")), "misaligned");
  says(failure_of(kernel("mov.u64 %rd4, 16;\nst.u64 [%rd4], 1;")), "no memory of a kernel's");
  says(failure_of(kernel("ld.shared.u32 %r4, [room+8];", shared)), "before it is written");
  says(failure_of(kernel("st.shared.u32 [room+64], %r1;", shared)), "bounds of shared memory");
  says(failure_of(kernel("setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $out;\nbar.warp.sync -1;\n"
                         "bar.sync 0;\n$out:\nbar.warp.sync -1;\n"),
                  2),
       "a barrier that others do not reach");
  says(failure_of(kernel("bra $nowhere;")), "no label $nowhere");
  const std::string told = failure_of(kernel("ld.global.u64 %rd4, [%rd1+512];"));
  says(told, "kernel k, block (0, 0, 0), thread (0, 0, 0), at `ld.global.u64 %rd4, [%rd1+512];`");
  says(told, "ORIEL_TEST_SCHEDULE=0:in_turn");
}

// One thread writes a row and then a flag; another waits for the flag and reads the row.
std::string message(const std::string& before_flag, const std::string& behind_flag) {
  return kernel(
      "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $write;\n$look:\n"
      "ld.volatile.global.u64 %rd4, [%rd1];\nsetp.eq.s64 %p2, %rd4, 0;\n@%p2 bra $look;\n" +
      behind_flag +
      "ld.global.u64 %rd5, [%rd1+8];\nst.global.u64 [%rd1+128], %rd5;\nbra.uni $out;\n"
      "$write:\nst.global.u64 [%rd1+8], 42;\n" +
      before_flag + "st.volatile.global.u64 [%rd1], 1;\n$out:\n");
}
// Under how many of 300 seeds the kernel's last word does not come out right.
unsigned failures_of(const std::string& text, std::uint64_t right = 42) {
  unsigned failures = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    words memory(32);
    launch(text, memory, 1, 2, schedule(seed, static_cast<policy>(1 + seed % 3), 0));
    failures += memory[16] == right ? 0 : 1;
  }
  return failures;
}
TEST(Ptx, AFenceThatIsMissingFailsUnderSomeSeed) {
  EXPECT_EQ(failures_of(message("membar.sys;\n", "membar.sys;\n")), 0u);
  EXPECT_GT(failures_of(message("", "membar.sys;\n")), 0u);
  EXPECT_GT(failures_of(message("membar.sys;\n", "")), 0u);
}

// Another reads the row when its swap, which orders nothing, has found the flag.
std::string swapped(const std::string& behind_swap) {
  return kernel(
      "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $write;\n$look:\n"
      "atom.sys.cas.b64 %rd4, [%rd1], 7, 8;\nsetp.eq.s64 %p2, %rd4, 0;\n@%p2 bra $look;\n" +
      behind_swap +
      "ld.global.u64 %rd5, [%rd1+8];\nst.global.u64 [%rd1+128], %rd5;\nbra.uni $out;\n"
      "$write:\nst.global.u64 [%rd1+8], 42;\nmembar.sys;\nst.volatile.global.u64 [%rd1], 1;\n"
      "$out:\n");
}
TEST(Ptx, LoadsBehindAnUpdateMayBePerformedBeforeIt) {
  EXPECT_EQ(failures_of(swapped("membar.sys;\n")), 0u);
  EXPECT_GT(failures_of(swapped("")), 0u);
}

// A thread keeps a word for itself and says that it has; another overwrites it.
std::string taken(const std::string& says_so) {
  const std::string room = "mov.u64 %rd6, room;\n";
  std::string text = kernel(
      "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $write;\n" + room +
      "ld.global.u64 %rd4, [%rd1+8];\nst.local.u64 [%rd6], %rd4;\n" + says_so +
      " [%rd1], 1;\nld.local.u64 %rd5, [%rd6];\nst.global.u64 [%rd1+128], %rd5;\nbra.uni $out;\n"
      "$write:\nld.volatile.global.u64 %rd4, [%rd1];\nsetp.eq.s64 %p2, %rd4, 0;\n"
      "@%p2 bra $write;\nst.volatile.global.u64 [%rd1+8], 1;\n$out:\n");
  return text.replace(text.find(".reg .pred"), 0, ".local .align 8 .b8 room[8];\n");
}
TEST(Ptx, ALoadMayBePerformedAfterAStoreThatReleasesNothing) {
  EXPECT_EQ(failures_of(taken("st.release.sys.global.u64"), 0), 0u);
  EXPECT_GT(failures_of(taken("st.volatile.global.u64"), 0), 0u);
}

// The host's turns are the schedule's: it answers at one of them, or gives up.
TEST(Ptx, AHostTakesItsTurnsInTheSchedule) {
  const std::string text = kernel(
      "$look:\nld.volatile.global.u64 %rd4, [%rd1];\nsetp.eq.s64 %p2, %rd4, 0;\n"
      "nanosleep.u32 100;\n@%p2 bra $look;\nst.global.u64 [%rd1+8], %rd4;");
  struct answer {
    words memory{32};
    unsigned turns = 0, at = 0;
    static bool turn(void* of) {
      auto& a = *static_cast<answer*>(of);
      if (++a.turns == a.at) a.memory[0] = 5;
      return a.turns < 1000;
    }
  };
  for (const unsigned at : {1u, 50u}) {
    answer a;
    a.at = at;
    launch(text, a.memory, 1, 1, schedule(3, policy::random, 0), {answer::turn, &a});
    EXPECT_EQ(a.memory[1], 5u);
  }
  answer never;
  EXPECT_THROW(launch(text, never.memory, 1, 1, schedule(), {answer::turn, &never}),
               kernel_failure);
}

// Threads draw places in the order in which they come.
TEST(Ptx, ASeedRepeatsItsScheduleAndOthersDiffer) {
  const std::string body =
      my_word + "atom.global.add.u64 %rd4, [%rd1+4096], 1;\nst.global.u64 [%rd3], %rd4;";
  const auto order_of = [&](std::uint64_t seed) {
    words memory(1024);
    launch(kernel(body), memory, 1, 256, schedule(seed, policy::random, 0));
    std::vector<std::uint64_t> order;
    for (unsigned i = 0; i < 256; ++i) order.push_back(memory[i]);
    return order;
  };
  EXPECT_EQ(order_of(7), order_of(7));
  EXPECT_NE(order_of(7), order_of(8));
}

// Lane 0 sets a flag, inside of the loop in which lane 1 waits for it at most 1000 times, or behind
// it.
std::string flag_of_a_lane(bool inside) {
  const std::string set = "st.volatile.global.u64 [%rd1], 1;\n";
  return kernel("setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 0;\n$loop:\n@!%p1 bra $wait;\n" +
                (inside ? set : std::string()) +
                "bra.uni $left;\n$wait:\nld.volatile.global.u64 %rd4, [%rd1];\n"
                "setp.ne.u64 %p2, %rd4, 0;\n@%p2 bra $left;\nadd.u32 %r2, %r2, 1;\n"
                "nanosleep.u32 100;\nsetp.lt.u32 %p2, %r2, 1000;\n@%p2 bra $loop;\n$left:\n" +
                (inside ? std::string() : "@!%p1 bra $end;\n" + set + "$end:\n") + my_word +
                "cvt.u64.u32 %rd5, %r2;\nst.global.u64 [%rd3+8], %rd5;");
}
TEST(Ptx, InLockstepALaneThatHasLeftALoopWaitsForThoseInIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    words memory(8);
    launch(flag_of_a_lane(false), memory, 1, 2, schedule(seed, policy::lockstep, 0));
    EXPECT_EQ(memory[2], 1000u);
    words alone(8);
    launch(flag_of_a_lane(false), alone, 1, 2, schedule(seed, policy::random, 0));
    EXPECT_LT(alone[2], 1000u);
  }
}
TEST(Ptx, InLockstepLanesMeetBehindABranch) {
  const std::string sum =
      "setp.lt.u32 %p1, %r1, 8;\n@%p1 bra $low;\natom.global.add.u64 %rd4, [%rd1], 1;\nbra.uni "
      "$met;\n$low:\natom.global.add.u64 %rd4, [%rd1+8], 1;\n$met:\n"
      "ld.volatile.global.u64 %rd5, [%rd1];\nld.volatile.global.u64 %rd6, [%rd1+8];\n"
      "add.u64 %rd5, %rd5, %rd6;\nst.global.u64 [%rd3+16], %rd5;";
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    words memory(40);
    launch(kernel(my_word + sum), memory, 1, 32, schedule(seed, policy::lockstep, 0));
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(memory[2 + lane], 32u);
  }
}

// Thread 0 touches one sector, and each later one twice as far away: 2 sectors, of one line or two.
TEST(Ptx, SectorsAndLinesOfARangeAreCountedOnceAThread) {
  touch_counter counter;
  words memory(64);
  counter.watch(std::bit_cast<std::uint64_t>(memory.address()), 256);
  const auto code = parse(
      kernel("mul.wide.u32 %rd2, %r1, 64;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u64 %rd4, [%rd1];\n"
             "ld.global.u64 %rd4, [%rd1+8];\nst.global.u64 [%rd3+16], %rd4;\n"
             "st.global.u64 [%rd3+256], %rd4;"));
  grid g;
  g.code = code.get();
  g.kernel = code->functions.at("k").get();
  g.threads = {4, 1, 1};
  g.parameters.resize(8);
  std::byte* const base = memory.address();
  std::memcpy(g.parameters.data(), &base, 8);
  g.counter = &counter;
  run(g);
  const touches t = counter.all();
  EXPECT_EQ(t.threads, 4u);
  EXPECT_EQ(t.sectors, 1u + 2 + 2 + 2);
  EXPECT_EQ(t.most_sectors, 2u);
  EXPECT_EQ(t.lines, 1u + 1 + 2 + 2);
  EXPECT_EQ(t.most_lines, 2u);
  EXPECT_EQ(t.accesses, 4u * 3);
  EXPECT_EQ(t.instructions, 4u * 9);
}

}  // namespace
}  // namespace oriel::test_driver::ptx

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
