// Reading and writing another process's memory.
#include "transport/cma.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <numeric>
#include <string_view>
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
  // Pieces of other sizes on either side.
  std::vector<int> few(8, -1);
  const std::array<iovec, 2> here{iovec{few.data() + 1, 8}, {few.data() + 4, 12}};
  const std::array<iovec, 3> there{
      iovec{memory.data() + 10, 4}, {memory.data() + 90'000, 12}, {memory.data() + 30, 4}};
  EXPECT_EQ(cma_read_pieces(child, there, here), errc::success);
  EXPECT_EQ(few, (std::vector<int>{-1, 7, 7, -1, 7, 7, 7, -1}));
  few.assign(8, 3);
  EXPECT_EQ(cma_write_pieces(child, there, here), errc::success);
  EXPECT_EQ(cma_read(child, address, back.data(), back.size() * 4), errc::success);
  EXPECT_EQ(std::count(back.begin(), back.end(), 3), 5);
  EXPECT_EQ(back[90'002], 3);
  const std::array<iovec, 2> nowhere{iovec{memory.data() + 10, 4}, {nullptr, 16}};
  EXPECT_EQ(cma_read_pieces(child, nowhere, here), errc::rma_range);
  EXPECT_EQ(cma_read(child, 64, back.data(), 4), errc::rma_range);
  EXPECT_FALSE(cma_allowed(child, 64));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(cma_read(child, address, back.data(), 4), errc::peer_failed);
}

// The kernel moves less than 2 GiB a call, here in the middle of a piece.
TEST(Cma, MovesPiecesOfMoreThanOneCallTakes) {
  constexpr std::size_t piece = 60u << 20, n = 40;
  std::vector<char> memory(piece, 'x'), copy(piece, ' ');
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    pause();
    _exit(0);
  }
  std::vector<iovec> there(n, iovec{memory.data(), piece}), here(n, iovec{copy.data(), piece});
  std::array<char, 8> last{};
  here.push_back({last.data(), last.size()});
  there.push_back({memory.data() + 5, last.size()});
  EXPECT_EQ(cma_read_pieces(child, there, here), errc::success);
  EXPECT_EQ(std::count(copy.begin(), copy.end(), 'x'), static_cast<std::ptrdiff_t>(piece));
  EXPECT_EQ(std::string_view(last.data(), last.size()), "xxxxxxxx");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace oriel::transport
