// What oriel_embed_device_code leaves in a program: the atomics' kernel as a fat binary, whole.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "kinds/atomic_task.hpp"

extern "C" {
extern const unsigned char oriel_test_kernels_begin[];
extern const unsigned char oriel_test_kernels_end[];
}

namespace oriel {
namespace {

// The first bytes of a fat binary: a magic number, the size of the header, and the size of the
// rest.
TEST(embedded, is_a_whole_fat_binary) {
  const auto* const begin = oriel_test_kernels_begin;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % 64, 0u);
  std::uint32_t magic = 0;
  std::uint16_t header = 0;
  std::uint64_t rest = 0;
  std::memcpy(&magic, begin, sizeof magic);
  std::memcpy(&header, begin + 6, sizeof header);
  std::memcpy(&rest, begin + 8, sizeof rest);
  EXPECT_EQ(magic, 0xba55ed50u);
  EXPECT_EQ(header + rest, static_cast<std::uint64_t>(oriel_test_kernels_end - begin));
}

TEST(embedded, has_the_kernel_by_its_name) {
  const std::string_view bytes(
      reinterpret_cast<const char*>(oriel_test_kernels_begin),
      static_cast<std::size_t>(oriel_test_kernels_end - oriel_test_kernels_begin));
  EXPECT_NE(bytes.find(kinds::atomic_kernel), std::string_view::npos);
}

}  // namespace
}  // namespace oriel
