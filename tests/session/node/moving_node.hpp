// A node of one rank that moves memory into its own, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "session/node/moved_pages.hpp"
#include "session/node/page_sizes.hpp"

namespace oriel::sessions {

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

inline std::byte* anonymous(std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  void* const p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

}  // namespace oriel::sessions
