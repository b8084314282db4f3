// Windows of bytes, as other interfaces use them: every element type by name and by shape, at any
// displacement, with any layout that MPI allows, on every way a window can be had.
#include <numeric>

#include "tests/atomics/oracle.hpp"
#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promised =
    assertion::shared_lock | assertion::multi_element | assertion::user_datatype;

template <class F>
void for_each_type(F f) {
  for (int p = static_cast<int>(primitive::byte); p < primitive_count; ++p)
    f(static_cast<primitive>(p));
}

disp at(std::size_t bytes) {
  return disp{bytes};
}

// Three elements a operation: one for fetch_op, two for several at once, all from `shift` on.
constexpr std::size_t each = 3;

constexpr std::size_t count = each * atomic_op_count;
constexpr std::size_t largest_shift = 8, largest_element = 32;

void check_every_op(any_window& w, primitive p, std::size_t shift) {
  SCOPED_TRACE(std::string(oriel::name(p)) + " at " + std::to_string(shift));
  const std::size_t size = size_of(p);
  ASSERT_LE(size, largest_element);
  const rank target = world().next();
  std::mt19937_64 random(static_cast<unsigned>(me() * 100 + static_cast<int>(p)));
  std::string before, operand, fetched(count * size, '\0'), after(count * size, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    before += some_element(p, random, true);
    operand += some_element(p, random, true);
  }
  const shape two{datatype::of(p), 2};
  const auto get = [&](const std::string& from, std::size_t i) {
    return normal(p, read_element(p, from.data() + i * size));
  };
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, at(shift), before.data(), before.size()).ok()) << w.failure();
  EXPECT_TRUE(w.flush(target).ok());
  for (int o = 0; o < atomic_op_count; ++o) {
    const auto op = static_cast<atomic_op>(o);
    const std::size_t i = static_cast<std::size_t>(o) * each * size;
    const auto there = [&](std::size_t k) { return at(shift + i + k * size); };
    const auto one = w.fetch_op(op, p, target, there(0), operand.data() + i, fetched.data() + i);
    EXPECT_EQ(one.code(), defined(op, p) ? errc::success : errc::op);
    const auto both = w.get_accumulate(op, target, there(1), operand.data() + i + size, two,
                                       fetched.data() + i + size, two, two);
    EXPECT_EQ(both.code(), defined(op, p) ? errc::success : errc::op);
    w.clear_failure();
  }
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  EXPECT_TRUE(w.get(target, at(shift), after.data(), after.size()).ok()) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  for (std::size_t i = 0; i < count; ++i) {
    const auto op = static_cast<atomic_op>(i / each);
    if (!defined(op, p)) {
      EXPECT_EQ(get(after, i), get(before, i));
      continue;
    }
    EXPECT_EQ(get(after, i), normal(p, oracle(op, p, read_element(p, before.data() + i * size),
                                              read_element(p, operand.data() + i * size))))
        << oriel::name(op) << " on element " << i % each;
    EXPECT_EQ(get(fetched, i), get(before, i)) << oriel::name(op) << " fetches " << i % each;
  }
  world().barrier().or_throw();
}

class Bytes : public ::testing::TestWithParam<made> {};

TEST_P(Bytes, EveryOperationOnEveryTypeAtAnyDisplacement) {
  made_window m(GetParam(), count * largest_element + largest_shift, datatype::bytes(1), promised);
  for_each_type([&](primitive p) {
    for (const std::size_t shift : {std::size_t{0}, std::size_t{3}, largest_shift})
      check_every_op(m.window, p, shift);
  });
}

// All ranks add to the same elements of rank 0, in every way that there is: nothing may be lost,
// neither where one instruction serves an element nor where the locks do.
TEST_P(Bytes, AccumulatesOfAllRanksAreAtomic) {
  constexpr int rounds = 50;
  constexpr std::size_t room = 64;
  for (const std::size_t shift : {0, 4}) {
    made_window m(GetParam(), primitive_count * room, datatype::bytes(1), promised);
    any_window& w = m.window;
    w.lock_all().or_throw();
    for_each_type([&](primitive p) {
      with_type(p, [&]<class T>(std::type_identity<T>) {
        if constexpr (defined(atomic_op::sum, primitive_of<T>()) && sizeof(T) > 1) {
          const disp there = at(static_cast<std::size_t>(p) * room + shift);
          const T one(1);
          const shape s{datatype::of(p), 1};
          T old;
          for (int i = 0; i < rounds; ++i) {
            EXPECT_TRUE(w.fetch_op(atomic_op::sum, p, rank{0}, there, &one, &old).ok());
            EXPECT_TRUE(w.accumulate(atomic_op::sum, rank{0}, there, &one, s, s).ok());
            EXPECT_TRUE(w.accumulate(atomic_op::sum, p, rank{0}, there, &one, 1).ok());
          }
        }
      });
    });
    EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
    world().barrier().or_throw();
    w.lock_all().or_throw();
    for_each_type([&](primitive p) {
      with_type(p, [&]<class T>(std::type_identity<T>) {
        if constexpr (defined(atomic_op::sum, primitive_of<T>()) && sizeof(T) > 1) {
          T sum{};
          const disp there = at(static_cast<std::size_t>(p) * room + shift);
          EXPECT_TRUE(w.fetch_op(atomic_op::no_op, p, rank{0}, there, nullptr, &sum).ok());
          EXPECT_EQ(sum, static_cast<T>(3 * rounds * ranks())) << name(p) << " at " << shift;
        }
      });
    });
    w.unlock_all().or_throw();
    world().barrier().or_throw();
  }
}

TEST_P(Bytes, CompareSwapOnEveryType) {
  made_window m(GetParam(), largest_element + 1, datatype::bytes(1), promised);
  any_window& w = m.window;
  for_each_type([&](primitive p) {
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(std::string(name(p)) + " at " + std::to_string(shift));
      const std::size_t size = size_of(p);
      ASSERT_LE(size, largest_element);
      const std::string zero(size, '\0'), desired(size, '\1');
      std::string found(size, '\7'), then(size, '\7'), last(size, '\7');
      const rank target = world().next();
      w.lock_all().or_throw();
      w.put(target, at(shift), zero.data(), size).or_throw();
      w.flush(target).or_throw();
      const auto hit =
          w.compare_swap(p, target, at(shift), zero.data(), desired.data(), found.data());
      const auto miss = w.compare_swap(p, target, at(shift), zero.data(), zero.data(), then.data());
      w.clear_failure();
      w.flush(target).or_throw();
      EXPECT_TRUE(w.get(target, at(shift), last.data(), size).ok());
      EXPECT_TRUE(w.unlock_all().ok());
      if (size > 16) {
        EXPECT_EQ(hit.code(), errc::type);
        EXPECT_EQ(last, zero);
      } else {
        EXPECT_TRUE(hit.ok() && miss.ok());
        EXPECT_EQ(found, zero);
        EXPECT_EQ(then, desired);
        EXPECT_EQ(last, desired);
      }
      world().barrier().or_throw();
    }
  });
}

TEST_P(Bytes, BuffersMayHaveAbsoluteDisplacements) {
  made_window m(GetParam(), 64, datatype::bytes(1), promised);
  any_window& w = m.window;
  std::array<double, 4> here{1, 2, 3, 4}, back{}, old{};
  // Elements 0 and 2, from address 0 on.
  const auto absolute = [](const std::array<double, 4>& a) {
    const std::array<std::ptrdiff_t, 2> where{reinterpret_cast<std::ptrdiff_t>(&a[0]),
                                              reinterpret_cast<std::ptrdiff_t>(&a[2])};
    const std::array<std::size_t, 2> one{1, 1};
    return shape{datatype::hindexed(one, where, datatype::of<double>()), 1};
  };
  const shape two{datatype::of<double>(), 2};
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, at(8), nullptr, absolute(here), two).ok()) << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.accumulate(atomic_op::sum, target, at(8), nullptr, absolute(here), two).ok());
  w.flush(target).or_throw();  // no order is promised
  EXPECT_TRUE(w.get_accumulate(atomic_op::sum, target, at(8), nullptr, absolute(here), nullptr,
                               absolute(old), two)
                  .ok())
      << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get(target, at(8), nullptr, absolute(back), two).ok());
  EXPECT_TRUE(w.unlock_all().ok());
  EXPECT_EQ(old, (std::array<double, 4>{2, 0, 6, 0}));
  EXPECT_EQ(back, (std::array<double, 4>{3, 0, 9, 0}));
  world().barrier().or_throw();
}

TEST_P(Bytes, NothingIsDoneWithoutData) {
  made_window m(GetParam(), 8, datatype::bytes(1), promised);
  any_window& w = m.window;
  const shape none{datatype::of<double>(), 0}, empty{datatype(), 5};
  const shape holes{datatype::resized(datatype(), 0, 64), 3};
  const rank target = world().next();
  const disp beyond{1u << 20};
  w.lock_all().or_throw();
  for (const shape& s : {none, empty, holes}) {
    EXPECT_TRUE(w.put(target, beyond, nullptr, s, s).ok());
    EXPECT_TRUE(w.get(target, beyond, nullptr, s, none).ok());
    EXPECT_TRUE(w.accumulate(atomic_op::sum, target, beyond, nullptr, s, s).ok());
    EXPECT_TRUE(
        w.get_accumulate(atomic_op::sum, target, beyond, nullptr, s, nullptr, s, empty).ok());
    EXPECT_TRUE(w.rput(target, beyond, nullptr, s, s).wait().ok());
  }
  EXPECT_TRUE(w.put(target, beyond, nullptr, 0).ok());
  EXPECT_TRUE(w.accumulate(atomic_op::sum, primitive::int64, target, beyond, nullptr, 0).ok());
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  world().barrier().or_throw();
}

TEST_P(Bytes, TargetsMayLieBeforeTheDisplacement) {
  made_window m(GetParam(), 64, datatype::bytes(1), promised);
  any_window& w = m.window;
  const shape backwards{datatype::vector(4, 1, -2, datatype::of<int>()), 1};
  const shape dense{datatype::of<int>(), 4};
  const std::array<int, 4> here{1, 2, 3, 4};
  std::array<int, 4> back{}, old{};
  std::array<int, 16> all{};
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, at(32), here.data(), dense, backwards).ok()) << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get_accumulate(atomic_op::sum, target, at(32), here.data(), dense, old.data(),
                               dense, backwards)
                  .ok())
      << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get(target, at(32), back.data(), dense, backwards).ok());
  EXPECT_TRUE(w.get(target, at(0), all.data(), 64).ok());
  EXPECT_TRUE(w.unlock_all().ok());
  EXPECT_EQ(old, here);
  EXPECT_EQ(back, (std::array<int, 4>{2, 4, 6, 8}));
  EXPECT_EQ(all, (std::array<int, 16>{0, 0, 8, 0, 6, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
  world().barrier().or_throw();
}

// As many as the slowest way to another node takes in a second or two.
TEST_P(Bytes, RequestsOfShapesCompleteLocally) {
  constexpr std::size_t rows = 40, columns = 10;
  made_window m(GetParam(), rows * columns * sizeof(double), datatype::bytes(1), promised);
  any_window& w = m.window;
  const rank target = world().next();
  const shape column{datatype::vector(rows, 1, columns, datatype::of<double>()), 1};
  const shape dense{datatype::of<double>(), rows};
  const shape sparse{datatype::vector(rows, 1, 2, datatype::of<double>()), 1};
  std::vector<double> here(rows), old(rows), old_sparse(2 * rows), more(rows), back(rows * columns);
  std::iota(here.begin(), here.end(), me() * 1000.0);
  w.lock_all().or_throw();
  std::vector<request> all;
  for (std::size_t c = 0; c < columns; ++c)
    all.push_back(w.rput(target, at(c * sizeof(double)), here.data(), dense, column));
  EXPECT_TRUE(wait_all(all).ok());
  EXPECT_TRUE(w.flush(target).ok());
  EXPECT_TRUE(w.raccumulate(atomic_op::sum, target, at(0), here.data(), dense, column).wait().ok());
  EXPECT_TRUE(w.flush(target).ok());
  EXPECT_TRUE(
      w.rget_accumulate(atomic_op::no_op, target, at(0), nullptr, dense, old.data(), dense, column)
          .wait()
          .ok());
  EXPECT_TRUE(w.rget_accumulate(atomic_op::no_op, target, at(0), nullptr, dense, old_sparse.data(),
                                sparse, column)
                  .wait()
                  .ok());
  EXPECT_TRUE(w.rget_accumulate(atomic_op::sum, primitive::float64, target, at(0), here.data(),
                                more.data(), columns, call_site::here())
                  .wait()
                  .ok());
  EXPECT_TRUE(w.flush(target).ok());
  std::vector<request> gets;
  for (std::size_t c = 0; c < columns; ++c)
    gets.push_back(w.rget(target, at(c * sizeof(double)), back.data() + c * rows, dense, column));
  EXPECT_TRUE(wait_all(gets).ok()) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok());
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_EQ(old[i], 2 * here[i]);
    EXPECT_EQ(old_sparse[2 * i], 2 * here[i]);
    EXPECT_EQ(old_sparse[2 * i + 1], 0.0);
  }
  // The last accumulate went to the first row.
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < rows; ++i)
      EXPECT_EQ(back[c * rows + i], here[i] * (c == 0 ? 2 : 1) + (i == 0 ? here[c] : 0.0))
          << "row " << i << ", column " << c;
  EXPECT_EQ(more[0], 2 * here[0]);
  EXPECT_EQ(more[1], here[0]);
  world().barrier().or_throw();
}

// Kernels do less than processors: not every operation, and none at any displacement.
std::vector<made> all_but_device_memory() {
  std::vector<made> all = all_made();
  std::erase_if(all, on_device);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Bytes, ::testing::ValuesIn(all_but_device_memory()));

TEST(RefusedBytes, OtherTypesNeedThePromise) {
  any_window w = any_window::allocate(world(), 16, datatype::bytes(1), assertion::shared_lock);
  std::int64_t one = 1, old = 0;
  const rank self{me()};
  const std::array<status, 3> refused{
      w.fetch_op(atomic_op::sum, primitive::int64, self, at(0), &one, &old),
      w.accumulate(atomic_op::sum, primitive::int64, self, at(0), &one, 1),
      w.compare_swap(primitive::int64, self, at(0), &old, &one, &old)};
  for (const status s : refused) EXPECT_EQ(s.code(), errc::not_asserted);
  EXPECT_NE(w.failure().find("assertion::user_datatype"), std::string::npos) << w.failure();
  w.clear_failure();
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
