// Reading and writing another process's memory.
#include "transport/cma.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <numeric>
#include <vector>

namespace oriel::transport {
namespace {

TEST(Cma, MovesBytesBothWays) {
  std::vector<int> memory(100'000);
  std::iota(memory.begin(), memory.end(), 0);
  const auto address = reinterpret_cast<std::uint64_t>(memory.data());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    pause();
    _exit(0);
  }
  std::vector<int> copy(memory.size());
  EXPECT_TRUE(cma_allowed(child, address));
  EXPECT_EQ(cma_read(child, address, copy.data(), copy.size() * 4), errc::success);
  EXPECT_EQ(copy, memory);
  copy.assign(copy.size(), 7);
  EXPECT_EQ(cma_write(child, address, copy.data(), copy.size() * 4), errc::success);
  EXPECT_EQ(memory[1], 1) << "the child's memory is its own";
  std::vector<int> back(memory.size());
  EXPECT_EQ(cma_read(child, address, back.data(), back.size() * 4), errc::success);
  EXPECT_EQ(back, copy);
  EXPECT_EQ(cma_read(child, 64, back.data(), 4), errc::rma_range);
  EXPECT_FALSE(cma_allowed(child, 64));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(cma_read(child, address, back.data(), 4), errc::peer_failed);
}

}  // namespace
}  // namespace oriel::transport
