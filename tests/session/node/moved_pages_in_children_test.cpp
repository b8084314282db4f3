// What a child of fork finds of pages that were moved.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/session/node/moving_node.hpp"

namespace oriel::sessions {
namespace {

TEST(MovedPagesInChildren, AreCopiedForAChild) {
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

TEST(MovedPagesInChildren, AreWholeInAChildThatIsMadeMeanwhile) {
  in_child([] {
    node n;
    ASSERT_NE(n.alias(anonymous(2 * page), 2 * page), nullptr);  // children get copies from now on
    constexpr std::size_t bytes = 128u << 20;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 1, bytes);
    std::atomic<bool> done{false};
    std::thread mover([&] {
      EXPECT_NE(n.alias(p, bytes), nullptr);
      done = true;
    });
    int wrong = 0;
    for (int forks = 0; !done || forks < 2; ++forks) {
      const pid_t child = fork();
      if (child == 0) {
        for (std::size_t i = 0; i < bytes; i += page)
          if (p[i] != std::byte{1}) _exit(1);
        _exit(0);
      }
      int how = 0;
      waitpid(child, &how, 0);
      wrong += how == 0 ? 0 : 1;
    }
    mover.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST(MovedPagesInChildren, AreNotSharedWithAChildThatCannotHaveCopies) {
  in_child([] {
    node n;
    constexpr std::size_t bytes = 64u << 20;
    std::byte* const p = anonymous(bytes);
    std::memset(p, 1, bytes);
    ASSERT_NE(n.alias(p, bytes), nullptr);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const pid_t child = fork();
    if (child == 0) {
      p[0] = std::byte{9};
      _exit(0);
    }
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    EXPECT_NE(how, 0) << "it cannot go on";
    EXPECT_EQ(p[0], std::byte{1});
    setrlimit(RLIMIT_NOFILE, &before);
  });
}

}  // namespace
}  // namespace oriel::sessions
