// The arena: blocks that are zeroed, aligned, disjoint, and given back without a trace.
#include "session/node_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using boot::node_memory;

TEST(NodeMemory, BlocksAreZeroedAlignedAndDisjoint) {
  const auto memory = node_memory::make(1, 0);
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::size_t> taken;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0 || taken.empty()) {
      const bool large = random() % 50 == 0;
      const std::size_t bytes = large ? (1u << 20) + random() % (3u << 20) : 1 + random() % 20000;
      const std::size_t alignment = std::size_t{1} << (random() % 13);
      const std::uint64_t at = memory->allocate(bytes, alignment);
      ASSERT_EQ(at % std::max<std::size_t>(alignment, 64), 0u);
      const auto next = taken.lower_bound(at);
      ASSERT_TRUE(next == taken.end() || at + bytes <= next->first);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= at);
      std::byte* const p = memory->base() + at;
      ASSERT_TRUE(std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{0}; }));
      std::memset(p, 0xff, bytes);
      taken[at] = bytes;
    } else {
      auto victim = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      memory->release(victim->first);
      taken.erase(victim);
    }
  }
  for (const auto& [at, bytes] : taken) memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
  // All of it is one block again: a large part can be had.
  EXPECT_NO_THROW(memory->release(memory->allocate(64u << 20)));
}

TEST(NodeMemory, ManyCyclesLeaveNoTrace) {
  const auto memory = node_memory::make(1, 0);
  const std::uint64_t first = memory->allocate(4096);
  memory->release(first);
  for (int i = 0; i < 100'000; ++i) memory->release(memory->allocate(64 + i % 8192));
  EXPECT_EQ(memory->allocate(4096), first);
}

// Windows, and what programs allocate: there is no number from which on each takes a large block.
TEST(NodeMemory, AnyNumberOfSmallBlocksStaySmall) {
  constexpr std::size_t blocks = 60'000, bytes = 256;
  const auto memory = node_memory::make(1, 0);
  std::vector<std::uint64_t> taken;
  for (std::size_t i = 0; i < blocks; ++i) taken.push_back(memory->allocate(bytes));
  EXPECT_EQ(memory->used(), blocks * bytes);
  // Holes are filled again before more is taken.
  const std::uint64_t highest = *std::max_element(taken.begin(), taken.end());
  std::mt19937_64 random(2);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(taken.begin(), taken.end(), random);
    for (std::size_t i = 0; i < blocks / 2; ++i) memory->release(taken[i]);
    EXPECT_EQ(memory->used(), blocks / 2 * bytes);
    for (std::size_t i = 0; i < blocks / 2; ++i) {
      taken[i] = memory->allocate(bytes);
      ASSERT_LE(taken[i], highest);
    }
  }
  for (const std::uint64_t at : taken) memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, AnyNumberOfLargeBlocks) {
  const auto memory = node_memory::make(1, 0);
  constexpr std::size_t large = 2u << 20;
  std::vector<std::uint64_t> taken;
  // Without their pages, as alloc_mem takes them: all that the arena has room for.
  try {
    for (;;) taken.push_back(memory->allocate(large, 64, false));
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::no_mem);
  }
  EXPECT_GT(taken.size() * large, memory->capacity() / 4 * 3);
  for (std::size_t i = 0; i < taken.size(); i += 2) memory->release(taken[i]);
  // What is left is in pieces, none of which is larger than one block.
  EXPECT_EQ(catch_error([&] { (void)memory->allocate(2 * large, 64, false); }).code, errc::no_mem);
  EXPECT_NO_THROW(taken[0] = memory->allocate(large, 64, false));
  for (std::size_t i = 1; i < taken.size(); i += 2) memory->release(taken[i]);
  memory->release(taken[0]);
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_NO_THROW(memory->release(memory->allocate(memory->capacity() / 8, 64, false)));
}

TEST(NodeMemory, RefusesMoreThanTheMachineHas) {
  const auto memory = node_memory::make(1, 0);
  for (const std::size_t bytes : {memory->capacity() / 64 * 63, std::size_t{1} << 50}) {
    const thrown t = catch_error([&] { (void)memory->allocate(bytes); });
    EXPECT_EQ(t.code, errc::no_mem);
    EXPECT_NE(t.text.find("bytes are available"), std::string::npos) << t.text;
  }
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, ReleaseIgnoresWhatItDidNotGive) {
  const auto memory = node_memory::make(1, 0);
  const std::uint64_t at = memory->allocate(1000);
  memory->release(at + 64);
  memory->release(1u << 29);
  memory->release(at);
  memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, TellsItsOwnAddresses) {
  const auto memory = node_memory::make(1, 0);
  EXPECT_EQ(memory->offset_of(memory->base() + 100, 10), 100u);
  EXPECT_FALSE(memory->offset_of(memory->base() + memory->capacity() - 5, 10));
  int mine = 0;
  EXPECT_FALSE(memory->offset_of(&mine, sizeof mine));
}

TEST(NodeMemory, ThreadsAllocateAtOnce) {
  const auto memory = node_memory::make(1, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t at = memory->allocate(128);
        std::memset(memory->base() + at, t + 1, 128);
        ASSERT_EQ(memory->base()[at + 127], static_cast<std::byte>(t + 1));
        memory->release(at);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(memory->used(), 0u);
}

// Another process opens the file, and its death is noticed although it is not reaped.
TEST(NodeMemory, SeesWhoIsAlive) {
  const auto memory = node_memory::make(2, 0);
  std::array<int, 2> ready{}, go{};
  ASSERT_EQ(pipe(ready.data()), 0);
  ASSERT_EQ(pipe(go.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const auto mine = node_memory::open(getppid(), memory->file(), 1);
    char c = 'r';
    const bool told = write(ready[1], &c, 1) == 1 && read(go[0], &c, 1) == 1;
    _exit(told ? 0 : 1);
  }
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  EXPECT_TRUE(memory->alive(1));
  ASSERT_EQ(write(go[1], "g", 1), 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (memory->alive(1) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(memory->alive(1)) << "a zombie counts as dead";
  EXPECT_TRUE(memory->alive(0));
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT_EQ(how, 0);
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
}

}  // namespace
}  // namespace oriel::testing
