// Private memory that becomes the node's under a program's feet.
#include "session/node/moved_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "session/node/moved_mappings.hpp"
#include "tests/session/node/moving_node.hpp"

namespace oriel::sessions {
namespace {

using testing::HasSubstr;

TEST(MovedPages, KeepTheirAddressesAndContents) {
  in_child([] {
    node n;
    for (const std::size_t words : {1, 500, 100'000, 3'000'000}) {
      std::vector<int> buffer(words);
      std::iota(buffer.begin(), buffer.end(), 7);
      int* const seen = n.alias(buffer.data(), words * sizeof(int));
      ASSERT_NE(seen, nullptr);
      EXPECT_EQ(std::memcmp(seen, buffer.data(), words * sizeof(int)), 0) << words;
      buffer.back() = -1;
      EXPECT_EQ(seen[words - 1], -1);
      seen[0] = -2;
      EXPECT_EQ(buffer.front(), -2);
      // Moved once, and found again.
      EXPECT_EQ(n.alias(buffer.data(), words * sizeof(int)), seen);
    }
  });
}

TEST(MovedPages, HoldSeveralBuffersWhereverTheyMeet) {
  in_child([] {
    node n;
    std::vector<std::unique_ptr<int[]>> buffers;
    for (int i = 0; i < 300; ++i) {
      buffers.push_back(std::make_unique<int[]>(static_cast<std::size_t>(17 + 11 * i)));
      buffers.back()[0] = i;
    }
    for (int i = 0; i < 300; ++i) {
      const std::size_t k = static_cast<std::size_t>(i * 7 % 300);
      int* const seen = n.alias(buffers[k].get(), (17 + 11 * k) * sizeof(int));
      ASSERT_NE(seen, nullptr);
      EXPECT_EQ(seen[0], static_cast<int>(k));
      seen[1] = i;
      EXPECT_EQ(buffers[k][1], i);
    }
  });
}

// A counter that threads count in all the while has every count.
TEST(MovedPages, LoseNothingThatOtherThreadsWrite) {
  in_child([] {
    for (int round = 0; round < 20; ++round) {
      node n;
      constexpr std::size_t counters = 64 * page / sizeof(long);
      auto* const counter = reinterpret_cast<std::atomic<long>*>(anonymous(64 * page));
      std::atomic<bool> stop{false};
      std::atomic<long> written{0};
      std::vector<std::thread> writers;
      for (int t = 0; t < 3; ++t)
        writers.emplace_back([&, t] {
          long mine = 0;
          for (std::size_t i = static_cast<std::size_t>(t); !stop; i += 97, ++mine)
            counter[i % counters].fetch_add(1, std::memory_order_relaxed);
          written += mine;
        });
      while (counter[0] == 0) std::this_thread::yield();
      ASSERT_NE(n.alias(counter, 64 * page), nullptr);
      stop = true;
      for (std::thread& w : writers) w.join();
      EXPECT_EQ(std::accumulate(counter, counter + counters, 0L), written) << round;
      munmap(counter, 64 * page);
    }
  });
}

TEST(MovedPages, MayBeFreedAndTakenAgain) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 1u << 20;  // malloc maps and unmaps it
    for (int round = 0; round < 50; ++round) {
      auto* const block = static_cast<std::byte*>(std::calloc(bytes, 1));
      ASSERT_NE(block, nullptr);
      for (std::size_t i = 0; i < bytes; i += 512) ASSERT_EQ(block[i], std::byte{0}) << round;
      std::byte* const seen = n.alias(block, bytes);
      std::memset(block, 1 + round, bytes);
      EXPECT_EQ(seen[bytes / 2], static_cast<std::byte>(1 + round));
      auto* const grown = static_cast<std::byte*>(std::realloc(block, 2 * bytes));
      EXPECT_EQ(grown[bytes - 1], static_cast<std::byte>(1 + round));
      std::free(grown);
      malloc_trim(0);
    }
  });
}

// A program that makes window after window, each on memory of its own, keeps what one takes.
TEST(MovedPages, GoBackToTheMachineWhenTheyWereUnmapped) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 16u << 20;
    const auto held = [&] {
      struct stat file {};
      fstat(n.memory->descriptor(), &file);
      return static_cast<std::size_t>(file.st_blocks) * 512;
    };
    const std::size_t before = held(), used = n.memory->used();
    for (int round = 0; round < 40; ++round) {
      std::byte* const p = anonymous(bytes);
      std::memset(p, 1, bytes);
      ASSERT_NE(n.alias(p, bytes), nullptr);
      EXPECT_GE(held(), before + bytes);
      // Half of the time, a part stays; and the next one lies elsewhere.
      munmap(p, round % 2 == 0 ? bytes : bytes - page);
      mmap(p, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    EXPECT_LT(held(), before + 2 * bytes + 40 * page);
    EXPECT_LT(n.memory->used(), used + 25 * (bytes + (4u << 20)));
  });
}

TEST(MovedPages, LeaveTheHeapWhole) {
  in_child([] {
    node n;
    std::vector<char*> blocks;
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t bytes = 16 + static_cast<std::size_t>(i * 37 % 900);
      blocks.push_back(static_cast<char*>(std::malloc(bytes)));
      std::memset(blocks.back(), i % 127, bytes);
      if (i % 50 == 0) {
        ASSERT_NE(n.alias(blocks.back(), bytes), nullptr);
      }
      if (i % 3 == 0) {
        const std::size_t k = static_cast<std::size_t>(i / 2);
        std::free(blocks[k]);
        blocks[k] = nullptr;
      }
    }
    malloc_trim(0);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i] != nullptr) {
        EXPECT_EQ(blocks[i][0], static_cast<char>(i % 127));
        std::free(blocks[i]);
      }
    }
  });
}

TEST(MovedPages, StayWhenTheirSessionHasEnded) {
  in_child([] {
    std::vector<int> buffer(10'000, 5);
    {
      node n;
      ASSERT_NE(n.alias(buffer.data(), buffer.size() * sizeof(int)), nullptr);
    }
    buffer[1] = 9;
    EXPECT_EQ(buffer[9999], 5);
    // Another session's memory is another file.
    node other;
    EXPECT_THAT(other.refusal(buffer.data(), buffer.size() * sizeof(int)), HasSubstr("a file's"));
  });
}

TEST(MovedPages, StayPrivateWithAReason) {
  in_child([] {
    node n;
    int on_stack[100] = {};
    EXPECT_THAT(n.refusal(on_stack, sizeof on_stack), HasSubstr("stack"));
    std::byte* const read_only = anonymous(page, PROT_READ);
    EXPECT_THAT(n.refusal(read_only, page), HasSubstr("both read and written"));
    std::byte* const whole = anonymous(3 * page);
    munmap(whole + page, page);
    EXPECT_THAT(n.refusal(whole, 3 * page), HasSubstr("not all of it is mapped"));
    std::byte* const locked = anonymous(3 * page);
    if (syscall(SYS_mlock, locked, 3 * page) == 0) {  // sanitizers make mlock do nothing
      EXPECT_THAT(n.refusal(locked, 3 * page), HasSubstr("mlock"));
      syscall(SYS_munlock, locked, 3 * page);
    }
    EXPECT_NE(n.alias(locked, 3 * page), nullptr);
    std::byte* const executable = anonymous(3 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
    EXPECT_THAT(n.refusal(executable, 3 * page), HasSubstr("instructions"));
    auto* const shared = static_cast<std::byte*>(
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    EXPECT_THAT(n.refusal(shared, page), HasSubstr("shared already"));
    static int in_the_program = 1;  // beside its initialized data, which are a file's
    EXPECT_THAT(n.refusal(&in_the_program, sizeof in_the_program), HasSubstr("a file's"));
    for (std::byte* const p : {read_only, whole, locked, executable, shared}) munmap(p, page);
  });
}

// In huge pages of its own, as regions are made.
std::byte* apart_from_others(std::size_t bytes) {
  constexpr std::size_t huge = 2u << 20;
  std::byte* const around = anonymous(bytes + 4 * huge);
  return around + (2 * huge - reinterpret_cast<std::uintptr_t>(around) % huge);
}

// As realloc does where mremap lets it; a file's mapping would grow into what follows in the file.
TEST(MovedPages, GrowAndShrinkByCopies) {
  in_child([] {
    node n;
    constexpr std::size_t mib = 1u << 20;
    auto* p = static_cast<char*>(std::malloc(4 * mib));
    std::memset(p, 1, 4 * mib);
    ASSERT_NE(n.alias(p, 4 * mib), nullptr);
    anonymous(64 * mib, PROT_NONE);  // sets the two apart
    auto* const q = reinterpret_cast<char*>(anonymous(8 * mib));
    std::memset(q, 2, 8 * mib);
    ASSERT_NE(n.alias(q, 8 * mib), nullptr);
    p = static_cast<char*>(std::realloc(p, 24 * mib));
    EXPECT_TRUE(std::all_of(p, p + 4 * mib - 64, [](char c) { return c == 1; }));
    std::memset(p, 7, 24 * mib);
    EXPECT_TRUE(std::all_of(q, q + 8 * mib, [](char c) { return c == 2; }));
    p = static_cast<char*>(std::realloc(p, 2 * mib));
    ASSERT_NE(n.alias(p, 2 * mib), nullptr);
    p = static_cast<char*>(std::realloc(p, 6 * mib));
    // Which gives unmapped pages back.
    ASSERT_NE(n.alias(apart_from_others(mib), mib), nullptr);
    EXPECT_TRUE(std::all_of(p, p + 2 * mib - 64, [](char c) { return c == 7; }));
    std::free(p);
  });
}

// What is mapped elsewhere now is in use all the same.
TEST(MovedPages, AreNotGivenBackWhileTheyAreMappedAnywhere) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 64 * page;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 3, bytes);
    ASSERT_NE(n.alias(p, bytes), nullptr);
    std::byte* const rest = p + page;  // the first page is a mapping of its own
    auto* const there = static_cast<std::byte*>(mremap(
        rest, bytes - page, bytes - page, MREMAP_MAYMOVE | MREMAP_FIXED, anonymous(bytes) + 0));
    ASSERT_NE(static_cast<void*>(there), MAP_FAILED);
    munmap(p, page);
    ASSERT_NE(n.alias(apart_from_others(1u << 20), 1u << 20), nullptr);
    EXPECT_EQ(there[0], std::byte{3});
    EXPECT_EQ(there[bytes - 2 * page], std::byte{3});
  });
}

std::atomic<long>* ticks = nullptr;

TEST(MovedPages, MayBeWrittenByASignalHandler) {
  in_child([] {
    alarm(20);
    constexpr std::size_t bytes = 16u << 20;
    ticks = reinterpret_cast<std::atomic<long>*>(anonymous(bytes));
    signal(SIGVTALRM, [](int) { ++*ticks; });
    const itimerval often{{0, 200}, {0, 200}};
    setitimer(ITIMER_VIRTUAL, &often, nullptr);
    for (int i = 0; i < 10; ++i) {
      node n;
      ASSERT_NE(n.alias(ticks, bytes), nullptr);
      // Other pages in one step: a tick may come at any time.
      ASSERT_EQ(mmap(ticks, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                     -1, 0),
                static_cast<void*>(ticks));
    }
    setitimer(ITIMER_VIRTUAL, nullptr, nullptr);
  });
}

thread_local char own_of_thread[1024];

// What the child of a fork resets there before any handler runs would be its parent's.
TEST(MovedPages, AreNotTheBeginOfAThreadsHeap) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#endif
  in_child([] {
    node n;
    std::thread other([&n] {
      void* const p = std::malloc(64);
      EXPECT_THAT(n.refusal(p, 64), HasSubstr("malloc's own"));
      std::free(p);
    });
    other.join();
  });
}

TEST(MovedPages, AreNoThreadsStackAndNotItsOwnVariables) {
  in_child([] {
    node n;
    std::atomic<char*> own{nullptr}, stack{nullptr};
    std::atomic<bool> stop{false};
    std::thread other([&] {
      char local[64] = {};
      stack = local;
      own = own_of_thread;
      while (!stop) std::this_thread::yield();
    });
    while (own == nullptr) std::this_thread::yield();
    EXPECT_THAT(n.refusal(own, 1024), HasSubstr("a thread's stack"));
    EXPECT_THAT(n.refusal(stack, 64), HasSubstr("a thread's stack"));
    stop = true;
    other.join();
  });
}

// Allocators count on it (jemalloc's and tcmalloc's calloc).
TEST(MovedPages, ReadAsZerosWhenTheyWereDropped) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 16 * page;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 4, bytes);
    ASSERT_NE(n.alias(p + 4 * page, 4 * page), nullptr);
    EXPECT_EQ(moved_mappings::drop(p + page, 6 * page, ::madvise), 0);
    for (std::size_t i = 0; i < 16; ++i)
      EXPECT_EQ(p[i * page], i >= 1 && i < 7 ? std::byte{0} : std::byte{4}) << i;
  });
}

// Allocators decommit so, and give lengths that end within a page.
TEST(MovedPages, ReadAsZerosWhenTheyWereDroppedOutOfUse) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 16 * page;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 4, bytes);
    ASSERT_NE(n.alias(p, bytes), nullptr);
    ASSERT_EQ(mprotect(p + 2 * page, 2 * page, PROT_NONE), 0);
    EXPECT_EQ(moved_mappings::drop(p + 2 * page, page + 100, ::madvise), 0);
    ASSERT_EQ(mprotect(p + 2 * page, 2 * page, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(moved_mappings::drop(p + 6 * page, page + 100, ::madvise), 0);
    EXPECT_EQ(moved_mappings::drop(p + 8 * page + 100, page, ::madvise), -1);
    EXPECT_EQ(errno, EINVAL);
    for (std::size_t i = 0; i < 16; ++i)
      EXPECT_EQ(p[i * page + 200], i / 2 == 1 || i / 2 == 3 ? std::byte{0} : std::byte{4}) << i;
  });
}

// The pages of the node's memory that stand for the old place are in use at another.
TEST(MovedPages, LeaveAPlaceWhosePagesWentElsewhere) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 64 * page;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 3, bytes);
    ASSERT_NE(n.alias(p, bytes), nullptr);
    std::byte* const middle = p + 32 * page;
    EXPECT_TRUE(moved_mappings::overlap(middle, page));
    auto* const there = static_cast<std::byte*>(
        mremap(middle, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, anonymous(bytes)));
    ASSERT_NE(static_cast<void*>(there), MAP_FAILED);
    ASSERT_EQ(mmap(middle, 4 * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              middle);
    std::memset(middle, 9, 4 * page);
    EXPECT_THAT(n.refusal(middle, 4 * page), HasSubstr("in use elsewhere"));
    EXPECT_EQ(there[0], std::byte{3});
    EXPECT_EQ(middle[0], std::byte{9});
  });
}

TEST(MovedPages, MayBeHugeOnes) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 8u << 20;
    auto* const p = static_cast<std::byte*>(std::aligned_alloc(2u << 20, bytes));
    madvise(p, bytes, MADV_HUGEPAGE);
    std::memset(p, 3, bytes);
    std::byte* const seen = n.alias(p, bytes);
    ASSERT_NE(seen, nullptr);
    EXPECT_EQ(std::memcmp(seen, p, bytes), 0);
    std::free(p);
  });
}

}  // namespace
}  // namespace oriel::sessions
