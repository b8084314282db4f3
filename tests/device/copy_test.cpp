// The shared copies of device scopes, with every member of a scope played in turn.
#include "oriel/detail/device_copy.cuh"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace oriel::detail::device {
namespace {

constexpr std::size_t room = 512;
constexpr auto untouched = std::byte{0xee};

template <std::size_t Unit>
void check(std::size_t to_shift, std::size_t from_shift, std::size_t bytes, unsigned members) {
  alignas(64) std::byte to[room], from[room];
  for (std::size_t i = 0; i < room; ++i) {
    from[i] = static_cast<std::byte>(i * 7 % 200);
    to[i] = untouched;
  }
  for (unsigned m = 0; m < members; ++m)
    copy_share<Unit>(to + to_shift, from + from_shift, bytes, {m, members});
  ASSERT_EQ(std::memcmp(to + to_shift, from + from_shift, bytes), 0);
  for (std::size_t i = 0; i < room; ++i) {
    if (i < to_shift || i >= to_shift + bytes) {
      ASSERT_EQ(to[i], untouched) << "byte " << i;
    }
  }
}

template <std::size_t Unit>
void check_all() {
  for (std::size_t to = 0; to < 17; to += Unit)
    for (std::size_t from = 0; from < 17; from += Unit)
      for (const std::size_t units : {0, 1, 2, 3, 5, 16, 31, 40})
        for (const unsigned members : {1u, 3u, 32u}) {
          SCOPED_TRACE("to " + std::to_string(to) + ", from " + std::to_string(from) + ", " +
                       std::to_string(units) + " units of " + std::to_string(Unit) + ", " +
                       std::to_string(members) + " members");
          check<Unit>(to, from, units * Unit, members);
          if (::testing::Test::HasFatalFailure()) return;
        }
}

TEST(device_copy, copies_every_byte_and_no_other) {
  check_all<1>();
  check_all<2>();
  check_all<4>();
  check_all<8>();
}

// Each byte is one member's: what several store at once would be a race on a device.
TEST(device_copy, members_share_nothing) {
  constexpr unsigned members = 32;
  for (const std::size_t shift : {0, 1, 3, 8}) {
    alignas(64) std::byte from[room], to[room];
    std::memset(from, 1, room);
    std::vector<int> writers(room);
    for (unsigned m = 0; m < members; ++m) {
      std::memset(to, 0, room);
      copy_share<1>(to + shift, from + shift, 400, {m, members});
      for (std::size_t i = 0; i < room; ++i) writers[i] += to[i] == std::byte{1} ? 1 : 0;
    }
    for (std::size_t i = 0; i < room; ++i)
      ASSERT_EQ(writers[i], i >= shift && i < shift + 400 ? 1 : 0) << "byte " << i;
  }
}

}  // namespace
}  // namespace oriel::detail::device
