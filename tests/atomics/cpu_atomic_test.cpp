// The inline atomics against the oracle, and what they promise about bytes and types.
#include "oriel/detail/cpu_atomic.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/atomics/oracle.hpp"

namespace oriel {
namespace {

using namespace detail;
using namespace oriel::testing;

static_assert(cpu_atomic_inline<bool> && cpu_atomic_inline<std::byte> && cpu_atomic_inline<char> &&
              cpu_atomic_inline<std::int16_t> && cpu_atomic_inline<float> &&
              cpu_atomic_inline<double> && cpu_atomic_inline<std::uint64_t>);
static_assert(!cpu_atomic_inline<long double> && !cpu_atomic_inline<std::complex<double>> &&
              !cpu_atomic_inline<std::array<char, 3>>);
// Aligned to 4, so a user's buffer may hold one across a cache line.
static_assert(!cpu_atomic_inline<std::complex<float>> && !cpu_atomic_inline<value_index<float>>);

static_assert(combine<atomic_op::sum>(std::int32_t{0x7fffffff}, 1) == INT32_MIN);
static_assert(combine<atomic_op::prod>(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
static_assert(combine<atomic_op::prod>(INT64_MIN, std::int64_t{-1}) == INT64_MIN);
static_assert(combine<atomic_op::replace>(1, 2) == 2 && combine<atomic_op::no_op>(1, 2) == 1);
static_assert(combine<atomic_op::minloc>(value_index<int>{3, 9}, value_index<int>{3, 4}).index ==
              4);
static_assert(combine<atomic_op::maxloc>(value_index<int>{3, 4}, value_index<int>{3, 9}).index ==
              4);

template <class T, atomic_op Op>
void check_operation(std::mt19937_64& random) {
  constexpr primitive p = primitive_of<T>();
  if constexpr (defined(Op, p)) {
    for (int i = 0; i < 64; ++i) {
      const element a = some_element(p, random), b = some_element(p, random);
      const element expected = normal(p, oracle(Op, p, a, b));
      alignas(8) T one = value_of<T>(a);
      const T before = cpu_fetch_op<Op>(&one, value_of<T>(b));
      EXPECT_EQ(read_element(p, &before), a) << name(Op) << " on " << name(p);
      EXPECT_EQ(normal(p, read_element(p, &one)), expected) << name(Op) << " on " << name(p);
      one = value_of<T>(a);
      cpu_op<Op>(&one, value_of<T>(b));
      EXPECT_EQ(normal(p, read_element(p, &one)), expected) << name(Op) << " on " << name(p);
      const T plain = combine<Op>(value_of<T>(a), value_of<T>(b));
      EXPECT_EQ(normal(p, read_element(p, &plain)), expected) << name(Op) << " on " << name(p);
    }
  }
}

template <class T>
void check_type(std::mt19937_64& random) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check_operation<T, static_cast<atomic_op>(I)>(random), ...);
  }
  (std::make_index_sequence<atomic_op_count>{});
}

TEST(cpu_atomic, agrees_with_the_oracle) {
  std::mt19937_64 random(2);
  for (int i = 1; i < primitive_count; ++i)
    with_type(static_cast<primitive>(i), [&]<class T>(std::type_identity<T>) {
      if constexpr (cpu_atomic_fits<T>) check_type<T>(random);
    });
}

// A neighbour in the same word is left alone.
TEST(cpu_atomic, touches_one_element_only) {
  std::array<std::uint8_t, 8> bytes{1, 255, 3, 4, 5, 6, 7, 8};
  cpu_op<atomic_op::sum>(&bytes[1], std::uint8_t{1});
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{1, 0, 3, 4, 5, 6, 7, 8}));
  std::array<std::int16_t, 4> shorts{1, INT16_MAX, 3, 4};
  EXPECT_EQ(cpu_fetch_op<atomic_op::sum>(&shorts[1], std::int16_t{1}), INT16_MAX);
  EXPECT_EQ(shorts, (std::array<std::int16_t, 4>{1, INT16_MIN, 3, 4}));
}

TEST(cpu_atomic, compares_bytes) {
  double zero = 0.0;
  EXPECT_EQ(cpu_compare_swap(&zero, -0.0, 1.0), 0.0);
  EXPECT_EQ(zero, 0.0) << "-0.0 equals 0.0, but not by its bytes";
  EXPECT_EQ(cpu_compare_swap(&zero, 0.0, 1.0), 0.0);
  EXPECT_EQ(zero, 1.0);
  const double nan = __builtin_nan("");
  double cell = nan;
  cpu_compare_swap(&cell, nan, 2.0);
  EXPECT_EQ(cell, 2.0) << "a NaN is found by its bytes";
}

// A put of bytes may leave any byte in a bool: not 0 is true, and what is stored is 0 or 1.
TEST(cpu_atomic, takes_bools_by_their_truth) {
  const auto expect = []<atomic_op Op>(std::integral_constant<atomic_op, Op>,
                                       bool (*logic)(bool, bool)) {
    for (const unsigned there : {0u, 1u, 2u, 3u, 0x80u, 0xffu})
      for (const bool operand : {false, true}) {
        const bool held = there != 0;
        const unsigned after = logic(held, operand) ? 1 : 0;
        auto byte = static_cast<unsigned char>(there);
        auto* const target = reinterpret_cast<bool*>(&byte);
        EXPECT_EQ(cpu_fetch_op<Op>(target, operand), held) << there;
        EXPECT_EQ(byte, after) << name(Op) << " of " << there << " and " << operand;
        byte = static_cast<unsigned char>(there);
        cpu_op<Op>(target, operand);
        EXPECT_EQ(byte, after) << name(Op) << " of " << there << " and " << operand;
        byte = static_cast<unsigned char>(there);
        EXPECT_EQ(plain_fetch_op<Op>(target, operand), held) << there;
        EXPECT_EQ(byte, after) << "plain " << name(Op) << " of " << there << " and " << operand;
      }
  };
  expect(std::integral_constant<atomic_op, atomic_op::land>{},
         [](bool a, bool b) { return a && b; });
  expect(std::integral_constant<atomic_op, atomic_op::lor>{},
         [](bool a, bool b) { return a || b; });
  expect(std::integral_constant<atomic_op, atomic_op::lxor>{},
         [](bool a, bool b) { return a != b; });
}

enum class color : std::uint16_t { red = 1, green = 2 };

TEST(cpu_atomic, serves_enumerations) {
  color c = color::red;
  EXPECT_EQ(cpu_fetch_op<atomic_op::bor>(&c, color::green), color::red);
  EXPECT_EQ(static_cast<int>(c), 3);
  EXPECT_EQ(cpu_compare_swap(&c, color{3}, color::green), color{3});
  EXPECT_EQ(c, color::green);
}

TEST(cpu_atomic, stores_and_loads_every_size) {
  const auto round_trip = []<class T>(T value) {
    T cell{};
    cpu_store(&cell, value);
    return cpu_load(&cell) == value && cell == value;
  };
  EXPECT_TRUE(round_trip(true));
  EXPECT_TRUE(round_trip('x'));
  EXPECT_TRUE(round_trip(std::int16_t{-7}));
  EXPECT_TRUE(round_trip(1.5f));
  EXPECT_TRUE(round_trip(2.5));
  EXPECT_TRUE(round_trip(3.5L));
  EXPECT_TRUE(round_trip(std::complex<float>(1, 2)));
  EXPECT_TRUE(round_trip(std::complex<double>(1, 2)));
  EXPECT_TRUE(round_trip(value_index<short>{3, 4}));
  EXPECT_TRUE(round_trip(std::array<char, 3>{'a', 'b', 'c'}));
  // Aligned to 4 only.
  struct alignas(8) {
    float skip = 0;
    std::complex<float> at4[1];
  } odd{};
  cpu_store(&odd.at4[0], std::complex<float>(5, 6));
  EXPECT_EQ(cpu_load(&odd.at4[0]), std::complex<float>(5, 6));
}

}  // namespace
}  // namespace oriel
