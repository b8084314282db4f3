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
