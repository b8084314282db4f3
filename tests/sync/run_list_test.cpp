// Lists of runs, as their owner reads them: another process wrote them, and may go on writing.
#include "sync/run_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

namespace oriel::sync {
namespace {

TEST(RunList, IsReadAsItWasWritten) {
  std::array<std::byte, 256> room;
  run_list list(room);
  EXPECT_GE(list.room_for(8), 20u);
  std::memset(list.add({1000, 8, 3, -16}), 7, 24);
  std::memset(list.add({5, 3, 1, 0}), 9, 3);
  EXPECT_EQ(list.room_for(300), 0u);
  int n = 0;
  const auto look = [&](const block_run& r, const std::byte* bytes) {
    EXPECT_EQ(r.address, n == 0 ? 1000u : 5u);
    EXPECT_EQ(r.bytes, n == 0 ? 8u : 3u);
    EXPECT_EQ(r.blocks, n == 0 ? 3u : 1u);
    EXPECT_EQ(r.stride, n == 0 ? -16 : 0);
    EXPECT_EQ(bytes[0], std::byte{n == 0 ? std::uint8_t{7} : std::uint8_t{9}});
    ++n;
    return errc::success;
  };
  EXPECT_EQ(run_list::for_each(list.data(), list.bytes(), look), errc::success);
  EXPECT_EQ(n, 2);
  // Cut off.
  EXPECT_EQ(run_list::for_each(list.data(), list.bytes() - 8,
                               [](const block_run&, const std::byte*) { return errc::success; }),
            errc::rma_range);
}

TEST(RunList, BoundsAreThoseOfAllItsBlocks) {
  std::uint64_t first = 0, end = 0;
  EXPECT_TRUE((block_run{1000, 8, 3, -16}.bounds(first, end)));
  EXPECT_EQ(first, 968u);
  EXPECT_EQ(end, 1008u);
  EXPECT_TRUE((block_run{1000, 8, 3, 16}.bounds(first, end)));
  EXPECT_EQ(first, 1000u);
  EXPECT_EQ(end, 1040u);
  constexpr auto far = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE((block_run{1000, 8, 3, far}.bounds(first, end)));
  EXPECT_FALSE((block_run{1000, 8, 2, -1001}.bounds(first, end)));
  EXPECT_FALSE((block_run{~std::uint64_t{0} - 3, 8, 1, 0}.bounds(first, end)));
}

// Nothing that is read has more bytes than the list, though its head changes.
TEST(RunList, MayChangeWhileItIsRead) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a race by intent";
#endif
  std::array<std::byte, 256> room;
  run_list list(room);
  std::memset(list.add({1000, 8, 2, 8}), 7, 16);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    auto* const bytes = reinterpret_cast<volatile std::uint32_t*>(room.data() + 8);
    for (std::uint32_t i = 0; !stop; ++i) *bytes = i % 2 == 0 ? 8 : 0x7fffffff;
  });
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  std::uint64_t most = 0;
  while (std::chrono::steady_clock::now() < until)
    static_cast<void>(
        run_list::for_each(list.data(), list.bytes(), [&](const block_run& r, const std::byte*) {
          most = std::max(most, std::uint64_t{r.bytes} * r.blocks);
          return errc::success;
        }));
  stop = true;
  other.join();
  EXPECT_LE(most, list.bytes());
}

}  // namespace
}  // namespace oriel::sync
