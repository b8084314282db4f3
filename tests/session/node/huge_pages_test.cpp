// Huge pages: what is reserved has them where the kernel can give any, whatever its setting for
// shared memory, and its bytes are as before.
#include "session/node/huge_pages.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/support/huge_pages.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using namespace sessions;

// Of this process's mappings of shared memory.
std::size_t bytes_in_huge_pages() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string key, unit;
  std::size_t kib = 0;
  std::getline(file, unit);
  while (file >> key >> kib && std::getline(file, unit))
    if (key == "ShmemPmdMapped:") return kib * 1024;
  return 0;
}

std::size_t bytes_in_file(const node_memory& memory) {
  struct stat about {};
  EXPECT_EQ(fstat(memory.descriptor(), &about), 0);
  return static_cast<std::size_t>(about.st_blocks) * 512;
}

constexpr std::size_t reserved = 5 * huge_page + page;

// It begins amid a huge page's place, and ends behind the fourth after that.
struct reservation {
  std::unique_ptr<node_memory> memory = node_memory::make(2, 0);
  std::uint64_t block = memory->allocate(6 * huge_page, 64, false);
  std::uint64_t at = block + huge_page - page;
  std::size_t before = bytes_in_file(*memory), huge_before = bytes_in_huge_pages(), known = 0;

  reservation() {
    std::memset(memory->base() + at + page - 8, 1, 8);
    known = memory->reserve(at, reserved);
  }
  [[nodiscard]] std::size_t huge() const {
    std::for_each(memory->base() + at, memory->base() + at + reserved,
                  [](std::byte& b) { b |= std::byte{2}; });
    return bytes_in_huge_pages() - huge_before;
  }
};

TEST(HugePages, AReservationHasThem) {
  if (!machine_has_huge_pages()) GTEST_SKIP() << "this machine has none for those who request them";
  reservation r;
  EXPECT_EQ(bytes_in_file(*r.memory), r.before + reserved);
  const std::byte* const at = r.memory->base() + r.at;
  for (std::size_t i = 0; i < reserved; ++i)
    ASSERT_EQ(at[i], i >= page - 8 && i < page ? std::byte{1} : std::byte{0}) << i;
  EXPECT_EQ(r.huge(), 5 * huge_page);
  EXPECT_EQ(r.known, 5 * huge_page);
  EXPECT_EQ(bytes_in_file(*r.memory), r.before + reserved);
  r.memory->release(r.block);
  EXPECT_LT(bytes_in_file(*r.memory), r.before + huge_page);
}

TEST(HugePages, OtherProcessesMapThem) {
  if (!machine_has_huge_pages()) GTEST_SKIP() << "this machine has none for those who request them";
  const reservation r;
  const auto other = node_memory::open(getpid(), r.memory->file(), 1);
  const std::size_t before = bytes_in_huge_pages();
  for (std::size_t i = page; i < reserved; i += page)
    ASSERT_EQ(other->base()[r.at + i], std::byte{0});
  EXPECT_EQ(bytes_in_huge_pages() - before, 5 * huge_page);
}

TEST(HugePages, NoneAreRequestedWhereTheUserSaysSo) {
  if (!machine_has_huge_pages()) GTEST_SKIP() << "this machine has none for those who request them";
  const scoped_variable off("ORIEL_HUGE_PAGES", "0");
  EXPECT_EQ(huge_pages_here(), huge_pages::unasked);
  const reservation r;
  EXPECT_EQ(bytes_in_file(*r.memory), r.before + reserved);
  EXPECT_EQ(r.huge(), 0u);
  EXPECT_EQ(r.known, 0u);
}

TEST(HugePages, RefusesOtherValues) {
  const scoped_variable wrong("ORIEL_HUGE_PAGES", "some");
  const thrown t = catch_error([] { static_cast<void>(huge_pages_here()); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_NE(t.text.find("ORIEL_HUGE_PAGES is 'some'; valid: 0, 1"), std::string::npos) << t.text;
}

// Returns how much of `all` bytes a process took that was killed when it had begun.
std::size_t taken_by_the_killed(std::size_t all) {
  const auto memory = node_memory::make(1, 0);
  std::byte* const block = memory->base() + memory->allocate(all, huge_page, false);
  const std::size_t before = bytes_in_file(*memory);
  const pid_t taker = fork();
  if (taker == 0) {
    static_cast<void>(request_huge_pages(block, all));
    _exit(0);
  }
  int how = 0;
  while (bytes_in_file(*memory) < before + 4 * huge_page && waitpid(taker, &how, WNOHANG) == 0) {
  }
  kill(taker, SIGKILL);
  waitpid(taker, &how, 0);
  return bytes_in_file(*memory) - before;
}

// It took all, and died seconds later. On a busy machine this process may be late.
TEST(HugePages, WhoIsKilledTakesNoMore) {
  if (!machine_has_huge_pages()) GTEST_SKIP() << "this machine has none for those who request them";
  constexpr std::size_t all = 512 * huge_page;
  if (available_memory() < 2 * all) GTEST_SKIP() << "there is little memory";
  std::size_t least = all;
  for (int tries = 0; tries < 10 && least > all * 3 / 4; ++tries)
    least = std::min(least, taken_by_the_killed(all));
  EXPECT_LE(least, all * 3 / 4);
}

// Pages that are there keep what they hold, and a range that has no place for one stays as it is.
TEST(HugePages, WhatIsThereStays) {
  const auto memory = node_memory::make(1, 0);
  std::byte* const at = memory->base() + memory->allocate(2 * huge_page);
  for (std::size_t i = 0; i < 2 * huge_page; ++i) at[i] = static_cast<std::byte>(i * 7 % 251);
  EXPECT_EQ(request_huge_pages(at + page, huge_page), 0u);
  static_cast<void>(request_huge_pages(at, 2 * huge_page));
  EXPECT_EQ(request_huge_pages(at, 0), 0u);
  for (std::size_t i = 0; i < 2 * huge_page; ++i)
    ASSERT_EQ(at[i], static_cast<std::byte>(i * 7 % 251)) << i;
}

}  // namespace
}  // namespace oriel::testing
