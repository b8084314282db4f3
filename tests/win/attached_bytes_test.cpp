// Windows of bytes to which ranks attach: what spans buffers that meet, and what no displacement
// names.
#include <array>
#include <string_view>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promised = assertion::shared_lock | assertion::multi_element |
                                   assertion::user_datatype | assertion::attach;

// A shape whose pieces lie in two buffers that were attached one after the other.
TEST(AttachedBytes, AShapeMaySpanBuffers) {
  any_window w = any_window::create(world(), datatype::bytes(1), promised);
  std::array<int, 4> first{}, second{};
  const auto a = w.attach(first.data(), sizeof first);
  const auto b = w.attach(second.data(), sizeof second);
  world().barrier().or_throw();
  const auto gap = static_cast<std::ptrdiff_t>(b.first.value - a.first.value);
  const std::array<std::ptrdiff_t, 2> where{4, gap + 8};
  const std::array<std::size_t, 2> one{1, 1};
  const shape both{datatype::hindexed(one, where, datatype::of<int>()), 1};
  const shape dense{datatype::of<int>(), 2};
  const std::array<int, 2> here{10 + me(), 20 + me()};
  std::array<int, 2> back{}, old{};
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, a.first, here.data(), dense, both).ok()) << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(
      w.get_accumulate(atomic_op::sum, target, a.first, here.data(), dense, old.data(), dense, both)
          .ok())
      << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get(target, a.first, back.data(), dense, both).ok()) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok());
  world().barrier().or_throw();
  EXPECT_EQ(old, here);
  EXPECT_EQ(back, (std::array<int, 2>{2 * here[0], 2 * here[1]}));
  const int from = world().previous().value;
  EXPECT_EQ(first, (std::array<int, 4>{0, 2 * (10 + from), 0, 0}));
  EXPECT_EQ(second, (std::array<int, 4>{0, 0, 2 * (20 + from), 0}));
  EXPECT_TRUE(w.free().ok());
}

TEST(AttachedBytes, WhatIsBetweenTwoAddressesOfExtentsIsRefused) {
  window_options addresses;
  addresses.displacements_are_addresses = true;
  any_window w = any_window::create(world(), datatype::bytes(24), promised, addresses);
  std::array<std::byte, 96> memory{};
  const std::uintptr_t beside = reinterpret_cast<std::uintptr_t>(memory.data()) % 24;
  try {
    w.attach(memory.data() + (24 - beside + 5), 1);
    ADD_FAILURE() << "no displacement names it";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::rma_attach);
    EXPECT_NE(std::string_view(e.what()).find("24 bytes, and the memory begins 5 bytes behind"),
              std::string_view::npos)
        << e.what();
  }
  w.clear_failure();
  EXPECT_TRUE(w.free().ok());
}

// Buffers that meet in memory are one to whoever goes across the seam.
TEST(AttachedBytes, ARunMayGoFromOneBufferIntoTheNext) {
  window_options addresses;
  addresses.displacements_are_addresses = true;
  any_window w = any_window::create(world(), datatype::bytes(1), promised, addresses);
  std::array<int, 16> own{};
  const auto given = job().alloc_mem(sizeof own);
  const rank target = world().next();
  for (int* const memory : {own.data(), reinterpret_cast<int*>(given.data())}) {
    const auto a = w.attach(memory, 4 * sizeof(int));
    const auto b = w.attach(memory + 4, 4 * sizeof(int));
    const auto places = world().allgather(reinterpret_cast<std::uintptr_t>(memory));
    const disp start{places[static_cast<std::size_t>(target.value)] + 2 * sizeof(int)};
    const std::array<int, 4> here{1, 2, 3, 4 + me()};
    w.lock_all().or_throw();
    EXPECT_TRUE(w.put(target, start, here.data(), sizeof here).ok()) << w.failure();
    w.flush(target).or_throw();
    EXPECT_TRUE(w.accumulate(atomic_op::sum, primitive::int32, target, start, here.data(), 4).ok())
        << w.failure();
    w.flush(target).or_throw();
    std::array<int, 6> back{};
    EXPECT_TRUE(w.get(target, start, back.data(), sizeof back).ok()) << w.failure();
    w.flush(target).or_throw();
    EXPECT_EQ(back, (std::array<int, 6>{2, 4, 6, 8 + 2 * me(), 0, 0}));
    // Its owner tells so, on another node once the put is flushed.
    static_cast<void>(w.put(target, disp{start.value + 4}, back.data(), sizeof back));
    EXPECT_EQ(w.flush(target).code(), errc::rma_range);
    w.clear_failure();
    EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
    world().barrier().or_throw();
    EXPECT_TRUE(w.detach(b.handle).ok());
    EXPECT_TRUE(w.detach(a.handle).ok());
    world().barrier().or_throw();
  }
  EXPECT_TRUE(w.free().ok());
  EXPECT_TRUE(job().free_mem(given).ok());
}

}  // namespace
}  // namespace oriel::testing
