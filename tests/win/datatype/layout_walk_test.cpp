// Packing, unpacking and copying between layouts, against the naive typemap.
#include "win/datatype/layout_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tests/win/datatype/typemap_oracle.hpp"

namespace oriel::testing {
namespace {

// A buffer that holds `count` elements of a type, wherever its typemap reaches.
class room {
 public:
  room(const naive_type& t, std::size_t count, unsigned fill) {
    std::ptrdiff_t low = 0, high = 0;
    for (std::size_t k = 0; k < count; ++k)
      for (const auto& i : t.map) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * t.extent() + i.at;
        low = std::min(low, at);
        high = std::max(high, at + static_cast<std::ptrdiff_t>(size_of(i.type)));
      }
    bytes.resize(static_cast<std::size_t>(high - low));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(fill + i * 7 + i / 256);
    origin = bytes.data() - low;
  }
  std::vector<std::byte> bytes;
  std::byte* origin;
};

TEST(LayoutWalk, PacksInTypemapOrder) {
  type_maker maker(21);
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    const both t = maker.make(i % 5);
    const std::size_t count = maker.below(4);
    const room from(t.naive, count, 1);
    const auto expected = naive_pack(t.naive, count, from.origin);
    const shape s{t.real, count};
    std::vector<std::byte> packed(expected.size());
    win::pack(from.origin, s, packed.data());
    ASSERT_EQ(packed, expected);
    // The same in pieces of any size.
    std::vector<std::byte> pieces(expected.size());
    win::layout_cursor at(s);
    for (std::size_t done = 0; done < pieces.size();)
      done += win::pack_some(from.origin, at, pieces.data() + done,
                             std::min<std::size_t>(1 + maker.below(9), pieces.size() - done));
    ASSERT_TRUE(at.done());
    ASSERT_EQ(pieces, expected);
  }
}

TEST(LayoutWalk, UnpacksAndLeavesGapsAlone) {
  type_maker maker(22);
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    const both t = maker.make(i % 5);
    const std::size_t count = maker.below(4);
    room to(t.naive, count, 3), expected(t.naive, count, 3);
    std::vector<std::byte> packed(t.naive.size() * count);
    for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = static_cast<std::byte>(k * 13 + 5);
    const std::byte* from = packed.data();
    for (std::size_t k = 0; k < count; ++k)
      for (const auto& item : t.naive.map) {
        std::memcpy(expected.origin + static_cast<std::ptrdiff_t>(k) * t.naive.extent() + item.at,
                    from, size_of(item.type));
        from += size_of(item.type);
      }
    win::unpack(packed.data(), to.origin, {t.real, count});
    ASSERT_EQ(to.bytes, expected.bytes);
    room pieces(t.naive, count, 3);
    const shape s{t.real, count};
    win::layout_cursor at(s);
    for (std::size_t done = 0; done < packed.size();)
      done += win::unpack_some(packed.data() + done, pieces.origin, at,
                               std::min<std::size_t>(1 + maker.below(9), packed.size() - done));
    ASSERT_EQ(pieces.bytes, expected.bytes);
  }
}

TEST(LayoutWalk, CopiesBetweenLayoutsOfOneSignature) {
  type_maker maker(23);
  int copied = 0;
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    const both from_type = maker.make(i % 4);
    const std::size_t count = 1 + maker.below(3);
    // The same primitives, each at a place of its own.
    std::vector<std::size_t> lengths;
    std::vector<std::ptrdiff_t> places;
    std::vector<datatype> types;
    naive_type scattered;
    std::ptrdiff_t next = 0;
    for (std::size_t k = 0; k < count; ++k)
      for (const auto& item : from_type.naive.map) {
        next += maker.between(0, 9);
        lengths.push_back(1);
        places.push_back(next);
        types.push_back(datatype::of(item.type));
        scattered.map.push_back({item.type, next});
        next += static_cast<std::ptrdiff_t>(size_of(item.type));
      }
    if (types.empty()) continue;
    ++copied;
    const shape from_shape{from_type.real, count};
    const shape to_shape{datatype::structure(lengths, places, types), 1};
    ASSERT_TRUE(datatype::signatures_match(from_shape.type, count, to_shape.type, 1));
    const room from(from_type.naive, count, 1);
    room to(scattered, 1, 9), by_pairs(scattered, 1, 9);
    win::copy_between(from.origin, from_shape, to.origin, to_shape);
    const auto expected = naive_pack(from_type.naive, count, from.origin);
    ASSERT_EQ(naive_pack(scattered, 1, to.origin), expected);
    ASSERT_EQ(
        win::for_each_pair(from_shape, to_shape,
                           [&](std::ptrdiff_t a, std::ptrdiff_t b, primitive p, std::size_t bytes) {
                             EXPECT_EQ(bytes % size_of(p), 0u);
                             std::memcpy(by_pairs.origin + b, from.origin + a, bytes);
                             return errc::success;
                           }),
        errc::success);
    ASSERT_EQ(by_pairs.bytes, to.bytes);
  }
  EXPECT_GT(copied, 1000);
}

// Some of which touch: random ones of as many slots and as many again.
std::vector<std::ptrdiff_t> random_slots(std::size_t n, std::mt19937& random) {
  std::vector<std::ptrdiff_t> slots(2 * n);
  std::iota(slots.begin(), slots.end(), 0);
  std::shuffle(slots.begin(), slots.end(), random);
  slots.resize(n);
  return slots;
}

template <class T>
void copy_between_random_slots(std::size_t length, std::mt19937& random) {
  constexpr std::size_t n = 40;
  constexpr std::size_t count = 3;
  const auto type = datatype::contiguous(length, datatype::of<T>());
  const auto extent = static_cast<std::ptrdiff_t>(2 * n * length * sizeof(T));
  const std::size_t all = count * n * length;
  std::vector<T> from(2 * all), packed(all), to(2 * all), expected(2 * all);
  std::iota(from.begin(), from.end(), T{1});
  const auto here = random_slots(n, random), there = random_slots(n, random);
  const auto laid_out = [&](std::span<const std::ptrdiff_t> slots) {
    return shape{datatype::resized(datatype::indexed_block(1, slots, type), 0, extent), count};
  };
  const auto at = [&](std::size_t k, std::ptrdiff_t slot, std::size_t i) {
    return (k * 2 * n + static_cast<std::size_t>(slot)) * length + i;
  };
  std::vector<T> in_order;
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = 0; i < length; ++i) {
        in_order.push_back(from[at(k, here[b], i)]);
        expected[at(k, there[b], i)] = in_order.back();
      }
  const auto* const source = reinterpret_cast<const std::byte*>(from.data());
  auto* const between = reinterpret_cast<std::byte*>(packed.data());
  auto* const sink = reinterpret_cast<std::byte*>(to.data());
  win::pack(source, laid_out(here), between);
  EXPECT_EQ(packed, in_order);
  win::unpack(between, sink, laid_out(there));
  EXPECT_EQ(to, expected);
  std::fill(to.begin(), to.end(), T{});
  win::copy_between(source, laid_out(here), sink, laid_out(there));
  EXPECT_EQ(to, expected);
}

TEST(LayoutWalk, CopiesBetweenRandomPlaces) {
  std::mt19937 random(24);
  for (int i = 0; i < 100; ++i)
    for (const std::size_t length : {1u, 2u, 3u}) {
      SCOPED_TRACE(length);
      copy_between_random_slots<std::uint8_t>(length, random);
      copy_between_random_slots<std::uint16_t>(length, random);
      copy_between_random_slots<float>(length, random);
      copy_between_random_slots<double>(length, random);
      copy_between_random_slots<long double>(length, random);
    }
}

TEST(LayoutWalk, StopsAtTheFirstFailure) {
  const shape s{datatype::vector(5, 1, 2, datatype::of<int>()), 1};
  int calls = 0;
  EXPECT_EQ(win::for_each_pair(s, s,
                               [&](std::ptrdiff_t, std::ptrdiff_t, primitive, std::size_t) {
                                 return ++calls == 3 ? errc::rma_range : errc::success;
                               }),
            errc::rma_range);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace oriel::testing
