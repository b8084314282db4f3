// Private memory that becomes the node's under a program's feet.
#include "session/node/moved_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

namespace oriel::sessions {
namespace {

using testing::HasSubstr;

constexpr std::size_t page = 4096;

struct node {
  std::unique_ptr<node_memory> memory = node_memory::make(1, 0);
  moved_pages pages{*memory};

  // The same memory as the other ranks see it.
  template <class T>
  T* alias(const T* p, std::size_t bytes) {
    const auto moved = pages.move(p, bytes);
    EXPECT_TRUE(moved.offset.has_value()) << moved.why;
    return moved.offset ? reinterpret_cast<T*>(memory->base() + *moved.offset) : nullptr;
  }
  std::string refusal(const void* p, std::size_t bytes) {
    const auto moved = pages.move(p, bytes);
    EXPECT_FALSE(moved.offset.has_value());
    return moved.why;
  }
};

// What one test has moved would be another file's memory to the next; a child has copies.
template <class Body>
void in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_EQ(how, 0);
}

std::byte* anonymous(std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  void* const p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

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

TEST(MovedPages, AreCopiedForAChild) {
  in_child([] {
    node n;
    std::vector<int> buffer(10'000, 5);
    ASSERT_NE(n.alias(buffer.data(), buffer.size() * sizeof(int)), nullptr);
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      char go = 0;
      if (read(ready[0], &go, 1) != 1) _exit(3);  // the parent has written since
      std::vector<int> own(1000, 1);              // the heap is the child's own
      const bool same = buffer[9999] == 5 && own[999] == 1;
      buffer[0] = 77;
      _exit(same && buffer[0] == 77 ? 0 : 1);
    }
    buffer[9999] = 6;
    ASSERT_EQ(write(ready[1], "x", 1), 1);
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    EXPECT_EQ(how, 0);
    EXPECT_EQ(buffer[0], 5);
    close(ready[0]);
    close(ready[1]);
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
    std::byte* const locked = anonymous(page);
    if (syscall(SYS_mlock, locked, page) == 0) {  // sanitizers make mlock do nothing
      EXPECT_THAT(n.refusal(locked, page), HasSubstr("mlock"));
      syscall(SYS_munlock, locked, page);
    }
    EXPECT_NE(n.alias(locked, page), nullptr);
    auto* const shared = static_cast<std::byte*>(
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    EXPECT_THAT(n.refusal(shared, page), HasSubstr("shared already"));
    static int in_the_program = 1;  // beside its initialized data, which are a file's
    EXPECT_THAT(n.refusal(&in_the_program, sizeof in_the_program), HasSubstr("a file's"));
    for (std::byte* const p : {read_only, whole, locked, shared}) munmap(p, page);
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
