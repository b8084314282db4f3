#include "shmem/heap_size.hpp"

#include <gtest/gtest.h>

namespace {

using oriel::shmem::heap_bytes_from;

TEST(HeapSize, IsANumberOfBytesOrOfLargerUnits) {
  EXPECT_EQ(heap_bytes_from("0"), 0u);
  EXPECT_EQ(heap_bytes_from("4096"), 4096u);
  EXPECT_EQ(heap_bytes_from("3k"), 3072u);
  EXPECT_EQ(heap_bytes_from("2K"), 2048u);
  EXPECT_EQ(heap_bytes_from("1.5M"), 1572864u);
  EXPECT_EQ(heap_bytes_from("1g"), std::size_t{1} << 30);
  EXPECT_EQ(heap_bytes_from("2T"), std::size_t{2} << 40);
}

TEST(HeapSize, IsNoOtherText) {
  for (const char* const text :
       {"", "M", "-1", "1.2.3", "12 M", "12MB", "x", "1e3", "nan", "inf", "99999999T"})
    EXPECT_FALSE(heap_bytes_from(text)) << text;
}

}  // namespace
