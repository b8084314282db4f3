// What the processor's instructions access, by their bytes, as GNU as makes them.
#include "win/check/machine_access.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using oriel::win::decode;

struct instruction {
  const char* text;
  std::vector<unsigned char> code;
  std::size_t bytes;
  bool atomic = false;
};

TEST(MachineAccess, HasTheWidthOfItsInstruction) {
  const std::vector<instruction> all{
      {"mov (%rax),%al", {0x8a, 0x00}, 1},
      {"mov (%rax),%eax", {0x8b, 0x00}, 4},
      {"mov %ax,(%rbx)", {0x66, 0x89, 0x03}, 2},
      {"mov %r9,(%r8)", {0x4d, 0x89, 0x08}, 8},
      {"movl $1,(%rax)", {0xc7, 0x00, 1, 0, 0, 0}, 4},
      {"movb $1,(%rax)", {0xc6, 0x00, 1}, 1},
      {"addq $1,(%rax)", {0x48, 0x83, 0x00, 0x01}, 8},
      {"cmpl $0,%fs:(%rax)", {0x64, 0x83, 0x38, 0x00}, 4},
      {"movslq (%rax),%rax", {0x48, 0x63, 0x00}, 4},
      {"movzbl (%rax),%eax", {0x0f, 0xb6, 0x00}, 1},
      {"movzwl (%rax),%eax", {0x0f, 0xb7, 0x00}, 2},
      {"movss (%rax),%xmm0", {0xf3, 0x0f, 0x10, 0x00}, 4},
      {"movsd %xmm0,(%rax)", {0xf2, 0x0f, 0x11, 0x00}, 8},
      {"movups (%rax),%xmm0", {0x0f, 0x10, 0x00}, 16},
      {"movdqu (%rax),%xmm0", {0xf3, 0x0f, 0x6f, 0x00}, 16},
      {"movq (%rax),%xmm0", {0xf3, 0x0f, 0x7e, 0x00}, 8},
      {"addsd (%rax),%xmm0", {0xf2, 0x0f, 0x58, 0x00}, 8},
      {"cvtps2pd (%rax),%xmm0", {0x0f, 0x5a, 0x00}, 8},
      {"vmovdqu (%rax),%ymm0", {0xc5, 0xfe, 0x6f, 0x00}, 32},
      {"vmovsd (%rax),%xmm0", {0xc5, 0xfb, 0x10, 0x00}, 8},
      {"vmovdqu (%r8),%ymm8", {0xc4, 0x41, 0x7e, 0x6f, 0x00}, 32},
      {"rep movsq", {0xf3, 0x48, 0xa5}, 8},
      {"lock addl $1,(%rax)", {0xf0, 0x83, 0x00, 0x01}, 4, true},
      {"xchg %rax,(%rbx)", {0x48, 0x87, 0x03}, 8, true},
      {"lock cmpxchg16b (%rax)", {0xf0, 0x48, 0x0f, 0xc7, 0x08}, 16, true},
  };
  for (const instruction& one : all) {
    const auto access = decode(one.code.data());
    EXPECT_EQ(access.bytes, one.bytes) << one.text;
    EXPECT_EQ(access.atomic, one.atomic) << one.text;
  }
}

TEST(MachineAccess, IsNeverTakenForMoreThanItIs) {
  const std::vector<instruction> rare{
      {"vmovdqu64 (%rax),%zmm0", {0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x00}, 1},
      {"vbroadcastss (%rax),%ymm0", {0xc4, 0xe2, 0x7d, 0x18, 0x00}, 1},
      {"pmovzxbw (%rax),%xmm0", {0x66, 0x0f, 0x38, 0x30, 0x00}, 1},
      {"btl %eax,(%rbx)", {0x0f, 0xa3, 0x03}, 1},
      {"fldt (%rax)", {0xdb, 0x28}, 1},
  };
  for (const instruction& one : rare) EXPECT_EQ(decode(one.code.data()).bytes, 1u) << one.text;
}

}  // namespace
