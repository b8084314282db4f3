// window_view on the host: every operation at every scope, on a direct rank and through the ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/atomics/oracle.hpp"
#include "tests/device/ring_world.hpp"

namespace oriel {
namespace {

using namespace oriel::testing;

static_assert(std::is_trivially_copyable_v<window_view<int>>);
static_assert(std::is_trivially_copyable_v<detail::device_view>);

struct triple {
  std::int32_t a, b, c;
  bool operator==(const triple&) const = default;
};

template <class T>
T made_of(int i) {
  if constexpr (std::is_same_v<T, triple>)
    return {i, i + 1, -i};
  else
    return static_cast<T>(i);
}

template <class F>
void at_every_scope(F f) {
  f(scope::thread{});
  f(scope::warp{});
  f(scope::block{});
}

template <class T>
class moves : public ::testing::Test {};
using moved_types =
    ::testing::Types<std::uint8_t, std::int16_t, float, std::uint64_t, double, triple>;
TYPED_TEST_SUITE(moves, moved_types);

TYPED_TEST(moves, arrive_whole) {
  using T = TypeParam;
  ring_world<T> world;
  world.start();
  const auto view = world.view();
  T source[ring_world<T>::elements];
  for (std::size_t i = 0; i < std::size(source); ++i) source[i] = made_of<T>(static_cast<int>(i));
  for (const oriel::rank r : {near, far})
    for (const std::size_t n : {0, 1, 3, 16, 17, 200})
      for (const std::size_t first : {0, 1, 7}) {
        SCOPED_TRACE("rank " + std::to_string(r.value) + ", " + std::to_string(n) + " from " +
                     std::to_string(first));
        at_every_scope([&](auto s) {
          T* const there = world.memory[r.value];
          std::fill_n(there, 256, made_of<T>(99));
          view.put(s, r, disp{first}, source + 5, n);
          ASSERT_EQ(view.quiet(s), errc::success);
          EXPECT_TRUE(std::equal(source + 5, source + 5 + n, there + first));
          EXPECT_EQ(there[first + n], made_of<T>(99));
          T result[256];
          std::fill_n(result, 256, made_of<T>(88));
          view.get(s, r, disp{first}, result + 3, n);
          EXPECT_TRUE(std::equal(source + 5, source + 5 + n, result + 3));
          EXPECT_EQ(result[2], made_of<T>(88));
          EXPECT_EQ(result[3 + n], made_of<T>(88));
        });
      }
}

TYPED_TEST(moves, arrive_by_value) {
  using T = TypeParam;
  ring_world<T> world;
  world.start();
  const auto view = world.view();
  for (const oriel::rank r : {me, near, far}) {
    view.put(r, disp{5}, made_of<T>(42));
    ASSERT_EQ(view.quiet(scope::thread{}), errc::success);
    EXPECT_EQ(world.memory[r.value][5], made_of<T>(42));
    EXPECT_EQ(world.memory[r.value][6], T{});
    EXPECT_EQ(view.get(r, disp{5}), made_of<T>(42));
  }
}

TYPED_TEST(moves, that_do_not_block_are_done_after_quiet) {
  using T = TypeParam;
  ring_world<T> world;
  world.start();
  const auto view = world.view();
  for (const oriel::rank r : {near, far})
    at_every_scope([&](auto s) {
      T source[100], result[100] = {}, one[1] = {};
      for (int i = 0; i < 100; ++i) source[i] = made_of<T>(i + r.value);
      view.put_nbi(s, r, disp{3}, source, 100);
      ASSERT_EQ(view.quiet(s), errc::success);
      EXPECT_TRUE(std::equal(source, source + 100, world.memory[r.value] + 3));
      view.get_nbi(s, r, disp{3}, result, 100);
      view.get_nbi(s, r, disp{7}, one, 1);
      ASSERT_EQ(view.quiet(s), errc::success);
      EXPECT_TRUE(std::equal(source, source + 100, result));
      EXPECT_EQ(one[0], source[4]);
    });
}

TEST(view, knows_its_window) {
  ring_world<int> world;
  const auto view = world.view();
  EXPECT_EQ(view.rank(), me);
  EXPECT_EQ(view.ranks(), 3);
  EXPECT_EQ(view.count(far), ring_world<int>::elements);
  EXPECT_EQ(view.local(), world.memory[0]);
  EXPECT_EQ(view.direct(near), world.memory[1]);
  EXPECT_EQ(view.direct(far), nullptr);
  EXPECT_EQ(view.failure(), errc::success);
}

template <class T>
class updates : public ::testing::Test {};
using updated_types =
    ::testing::Types<bool, std::byte, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                     std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(updates, updated_types);

template <atomic_op Op, class T, class S>
void check_update(ring_world<T>& world, S s, std::mt19937_64& random) {
  constexpr primitive p = primitive_of<T>();
  const auto view = world.view();
  for (const oriel::rank r : {me, near, far}) {
    SCOPED_TRACE(std::string(name(Op)) + " on rank " + std::to_string(r.value));
    const auto some = [&] { return value_of<T>(some_element(p, random)); };
    const auto expect = [&](T before, T operand, T after) {
      EXPECT_EQ(normal(p, element_of(after)),
                normal(p, oracle(Op, p, element_of(before), element_of(operand))));
    };
    T* const there = world.memory[r.value];
    const T before = some(), operand = some(), again = some();
    there[9] = before;
    EXPECT_EQ(view.template fetch_op<Op>(s, r, disp{9}, operand), before);
    expect(before, operand, there[9]);
    const T between = there[9];
    EXPECT_EQ(view.template fetch_op<Op>(r, disp{9}, again), between);
    expect(between, again, there[9]);
    there[9] = before;
    view.template accumulate<Op>(s, r, disp{9}, operand);
    ASSERT_EQ(view.quiet(s), errc::success);
    expect(before, operand, there[9]);
    for (const std::size_t n : {0, 3, 150}) {
      T old[150], operands[150];
      for (std::size_t i = 0; i < n; ++i) {
        there[i] = old[i] = some();
        operands[i] = some();
      }
      const T beyond = there[n] = some();
      view.template accumulate<Op>(s, r, disp{0}, operands, n);
      ASSERT_EQ(view.quiet(s), errc::success);
      for (std::size_t i = 0; i < n; ++i) expect(old[i], operands[i], there[i]);
      EXPECT_EQ(there[n], beyond);
    }
  }
}

TYPED_TEST(updates, agree_with_the_oracle) {
  using T = TypeParam;
  ring_world<T> world;
  world.start();
  std::mt19937_64 random(3);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto check = [&]<atomic_op Op>(std::integral_constant<atomic_op, Op>) {
      if constexpr (defined_on<Op, T>)
        at_every_scope([&](auto s) { check_update<Op>(world, s, random); });
    };
    (check(std::integral_constant<atomic_op, static_cast<atomic_op>(I)>{}), ...);
  }
  (std::make_index_sequence<atomic_op_count>{});
}

TYPED_TEST(updates, exchange_and_compare_swap) {
  using T = TypeParam;
  ring_world<T> world;
  world.start();
  const auto view = world.view();
  const auto a = static_cast<T>(1), b = static_cast<T>(0);
  for (const oriel::rank r : {me, near, far})
    at_every_scope([&](auto s) {
      T* const there = world.memory[r.value];
      there[3] = a;
      EXPECT_EQ(view.exchange(s, r, disp{3}, b), a);
      EXPECT_EQ(there[3], b);
      EXPECT_EQ(view.compare_swap(s, r, disp{3}, a, a), b);
      EXPECT_EQ(there[3], b);
      EXPECT_EQ(view.compare_swap(s, r, disp{3}, b, a), b);
      EXPECT_EQ(there[3], a);
      EXPECT_EQ(view.compare_swap(r, disp{3}, a, b), a);
      EXPECT_EQ(view.exchange(r, disp{3}, a), b);
      EXPECT_EQ(there[3], a);
      if constexpr (defined_on<atomic_op::sum, T>) {
        EXPECT_EQ(view.fetch_add(r, disp{3}, a), a);
        EXPECT_EQ(view.fetch_add(s, r, disp{3}, a), static_cast<T>(2));
        EXPECT_EQ(there[3], static_cast<T>(3));
      }
    });
}

TEST(notification, counts_what_has_arrived) {
  ring_world<int> world;
  world.start();
  const auto view = world.view();
  int row[100];
  std::iota(row, row + 100, 1);
  for (const oriel::rank r : {me, near, far}) {
    auto& count = world.notified[r.value][2 * detail::counter_stride];
    std::uint64_t expected = 0;
    at_every_scope([&](auto s) {
      view.put_notify(s, r, disp{10}, row, 100, 2);
      view.put_notify(s, r, disp{0}, row, 0, 2);
      view.put_notify(r, disp{200}, 7, 2);
      expected += 3;
      ASSERT_EQ(view.quiet(s), errc::success);
      EXPECT_EQ(count, expected);
      EXPECT_TRUE(std::equal(row, row + 100, world.memory[r.value] + 10));
      EXPECT_EQ(world.memory[r.value][200], 7);
    });
    EXPECT_EQ(world.notified[r.value][0], 0u);
  }
  EXPECT_EQ(view.notified(2), 9u);
  EXPECT_EQ(view.notified(1), 0u);
}

// The waiter reads plain memory that the notifier wrote: the thread sanitizer checks the order too.
TEST(notification, wakes_who_waits) {
  ring_world<int> world;
  world.start();
  constexpr int rounds = 200;
  std::thread notifier([view = world.view()] {
    for (int i = 1; i <= rounds; ++i) {
      const int row[] = {i, 2 * i, 3 * i};
      view.put_notify(scope::block{}, me, disp{0}, row, 3, 1);
      EXPECT_EQ(view.wait_notify(scope::block{}, 0, static_cast<std::uint64_t>(i)), errc::success);
    }
  });
  const auto view = world.view();
  for (int i = 1; i <= rounds; ++i) {
    EXPECT_EQ(view.wait_notify(scope::warp{}, 1, static_cast<std::uint64_t>(i)), errc::success);
    EXPECT_EQ(view.local()[2], 3 * i);
    view.put_notify(scope::thread{}, me, disp{9}, nullptr, 0, 0);
  }
  notifier.join();
}

TEST(waiting, follows_a_word) {
  ring_world<std::int64_t> world;
  std::thread writer([view = world.view()] {
    view.put(me, disp{1}, 1234);
    view.fence(scope::thread{});
    view.put(me, disp{0}, -5);
    view.quiet(scope::thread{});
  });
  world.start();
  const auto view = world.view();
  EXPECT_EQ(view.wait_until(scope::block{}, disp{0}, comparison::less, 0), errc::success);
  EXPECT_EQ(view.get(me, disp{1}), 1234);
  writer.join();
}

TEST(waiting, compares_as_it_says) {
  ring_world<std::int32_t> world;
  const auto view = world.view();
  world.memory[0][0] = -3;
  using enum comparison;
  struct pair {
    comparison how;
    std::int32_t fulfilled, unfulfilled;
  };
  for (const auto& [how, yes, no] :
       {pair{equal, -3, 3}, pair{not_equal, 3, -3}, pair{less, -2, -3}, pair{less_equal, -3, -4},
        pair{greater, -4, -3}, pair{greater_equal, -3, -2}}) {
    EXPECT_TRUE(detail::device::compares(-3, how, yes));
    EXPECT_FALSE(detail::device::compares(-3, how, no));
    EXPECT_EQ(view.wait_until(scope::warp{}, disp{0}, how, yes), errc::success);
  }
}

TEST(waiting, ends_when_the_window_is_closed) {
  ring_world<std::int32_t> world;
  std::thread closer([&world] { world.server.close(); });
  const auto view = world.view();
  EXPECT_EQ(view.wait_notify(scope::block{}, 0, 1), errc::peer_failed);
  EXPECT_EQ(view.wait_until(scope::thread{}, disp{0}, comparison::equal, 1), errc::peer_failed);
  EXPECT_EQ(view.get(far, disp{0}), 0);  // nobody serves it
  EXPECT_EQ(view.quiet(scope::thread{}), errc::peer_failed);
  closer.join();
}

}  // namespace
}  // namespace oriel
