// Atomics on device memory against arithmetic of the tests' own (tests/atomics/oracle.hpp).
#include <random>

#include "tests/atomics/oracle.hpp"
#include "tests/kinds/device_fixture.hpp"

namespace oriel::testing {
namespace {

using kinds::atomic_action;
using kinds::atomic_task;
using kinds::residence;

class device_atomics_test : public device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const std::string why = runtime().lacks_atomics(0); !why.empty()) GTEST_SKIP() << why;
  }

  static std::string run_of(primitive p, std::size_t n, std::mt19937_64& random) {
    std::string run;
    for (std::size_t i = 0; i < n; ++i) run += some_element(p, random);
    return run;
  }
  static std::string combined(atomic_op op, primitive p, const std::string& a,
                              const std::string& b) {
    const std::size_t width = size_of(p);
    std::string run;
    for (std::size_t at = 0; at < a.size(); at += width)
      run += normal(p, oracle(op, p, a.substr(at, width), b.substr(at, width)));
    return run;
  }
  std::string read_run(primitive p, const void* from, std::size_t n) {
    const auto bytes = read(from, n * size_of(p));
    std::string run;
    for (std::size_t i = 0; i < n; ++i)
      run += normal(p, read_element(p, bytes.data() + i * size_of(p)));
    return run;
  }
  static atomic_task task_of(atomic_op op, primitive p, std::size_t n, void* place,
                             const void* operands, void* results) {
    atomic_task t;
    t.op = op;
    t.type = p;
    t.width = static_cast<std::uint8_t>(size_of(p));
    t.n = n;
    t.location = place;
    t.operands = operands;
    t.results = results;
    return t;
  }
  // One operation on `n` elements with operands and results as they are given.
  void check(atomic_op op, primitive p, std::size_t n, std::byte* place, void* operands,
             void* results, std::mt19937_64& random) {
    SCOPED_TRACE(std::string(name(op)) + " of " + std::to_string(n) + " " + std::string(name(p)));
    const std::string before = run_of(p, n, random), by = run_of(p, n, random);
    ASSERT_EQ(runtime().copy(place, before.data(), before.size()), errc::success);
    ASSERT_EQ(runtime().copy(operands, by.data(), by.size()), errc::success);
    const void* const given = op == atomic_op::no_op ? nullptr : operands;
    ASSERT_EQ(runtime().apply(0, task_of(op, p, n, place, given, results)), errc::success)
        << runtime().last_failure();
    ASSERT_EQ(read_run(p, place, n), combined(op, p, before, by));
    if (results != nullptr) {
      ASSERT_EQ(read_run(p, results, n), combined(atomic_op::no_op, p, before, by));
    }
  }
};

TEST_F(device_atomics_test, EveryOperationOnEveryTypeIsExact) {
  std::mt19937_64 random(20261121);
  const auto place = allocate(residence::device, 4096);
  const auto on_device = allocate(residence::device, 4096);
  std::vector<std::uint64_t> operands(512), results(512);
  int checked = 0;
  for (int o = 0; o < atomic_op_count; ++o)
    for (int p = 0; p < primitive_count; ++p) {
      const auto op = static_cast<atomic_op>(o);
      const auto type = static_cast<primitive>(p);
      if (!kinds::kernels_apply(op, type)) continue;
      for (const std::size_t n : {1, 37, 300}) {
        check(op, type, n, place.get(), operands.data(), results.data(), random);
        check(op, type, n, place.get(), operands.data(), nullptr, random);
        check(op, type, n, place.get(), on_device.get(), results.data(), random);
        checked += 3;
        if (HasFatalFailure()) return;
      }
    }
  EXPECT_GT(checked, 900);  // 12 types of 3 to 11 operations
}

TEST_F(device_atomics_test, ReachesEveryPlaceOfOperandsAndResults) {
  std::mt19937_64 random(7);
  constexpr std::size_t n = 50;
  const auto place = allocate(residence::device, 4096);
  std::vector<memory> made;
  std::vector<std::uint64_t> pageable(4 * n);
  std::vector<std::byte*> places{reinterpret_cast<std::byte*>(pageable.data())};
  for (const residence where : kinds::all_residences)
    for (const int device : {0, runtime().devices() - 1})
      if (runtime().lacks(where).empty()) {
        made.push_back(allocate(where, 4 * n * sizeof(std::uint64_t), device));
        places.push_back(made.back().get());
      }
  for (std::byte* operands : places)
    for (std::byte* results : places)
      for (const std::size_t shift : {std::size_t{0}, std::size_t{3}})  // at any alignment
        check(atomic_op::sum, primitive::uint64, n, place.get(), operands + shift,
              results + 2 * n * sizeof(std::uint64_t) + shift, random);
}

TEST_F(device_atomics_test, AppliesManyElements) {
  std::mt19937_64 random(8);
  constexpr std::size_t n = 300'000;  // more than pass through a buffer at once
  const auto place = allocate(residence::device, n * sizeof(std::int32_t));
  const auto device_operands = allocate(residence::device, n * sizeof(std::int32_t));
  std::vector<std::int32_t> operands(n), results(n);
  check(atomic_op::sum, primitive::int32, n, place.get(), operands.data(), results.data(), random);
  check(atomic_op::max, primitive::int32, n, place.get(), device_operands.get(), nullptr, random);
}

TEST_F(device_atomics_test, ReachesMemoryOfAPeerDevice) {
  const int other = runtime().devices() - 1;
  if (other == 0) GTEST_SKIP() << "one device";
  if (const std::string why = runtime().lacks_peer_access(0, other); !why.empty())
    GTEST_SKIP() << why;
  std::mt19937_64 random(9);
  const auto place = allocate(residence::device, 4096, other);
  std::vector<std::uint64_t> operands(10), results(10);
  for (int again = 0; again < 2; ++again)
    check(atomic_op::sum, primitive::uint64, 10, place.get(), operands.data(), results.data(),
          random);
}

TEST_F(device_atomics_test, SwapsAWordThatIsAsExpected) {
  const auto m = allocate(residence::device, 64);
  const auto check_word = [&]<class T>(std::type_identity<T>) {
    SCOPED_TRACE(sizeof(T));
    const T first = static_cast<T>(0x1122334455667788), second = static_cast<T>(first + 1);
    const T third = static_cast<T>(first + 2);
    std::byte* const place = m.get() + 8;
    const std::uint64_t around = 0x0101010101010101;
    write_value(m.get(), std::array<std::uint64_t, 3>{around, around, around});
    write_value(place, first);
    const auto swap = [&](T expected, T desired) {
      const T operands[2] = {expected, desired};
      T before = 0;
      atomic_task t;
      t.action = atomic_action::compare_swap;
      t.width = sizeof(T);
      t.n = 1;
      t.location = place;
      t.operands = operands;
      t.results = &before;
      EXPECT_EQ(runtime().apply(0, t), errc::success) << runtime().last_failure();
      return before;
    };
    EXPECT_EQ(swap(second, third), first);
    EXPECT_EQ(read_value<T>(place), first);
    EXPECT_EQ(swap(first, second), first);
    EXPECT_EQ(read_value<T>(place), second);
    EXPECT_EQ(read_value<std::uint64_t>(m.get()), around);
    EXPECT_EQ(read_value<std::uint64_t>(m.get() + 16), around);
    if constexpr (sizeof(T) < 8) {
      EXPECT_EQ(read_value<std::uint8_t>(place + sizeof(T)), 1);
    }
  };
  check_word(std::type_identity<std::uint8_t>{});
  check_word(std::type_identity<std::uint16_t>{});
  check_word(std::type_identity<std::uint32_t>{});
  check_word(std::type_identity<std::uint64_t>{});
}

TEST_F(device_atomics_test, RefusesWhatNoKernelDoes) {
  const auto m = allocate(residence::device, 64);
  const std::uint64_t operand[8] = {};
  const auto refused = [&](atomic_op op, primitive p) {
    return runtime().apply(0, task_of(op, p, 1, m.get(), operand, nullptr));
  };
  EXPECT_EQ(refused(atomic_op::sum, primitive::complex64), errc::type);
  EXPECT_EQ(refused(atomic_op::sum, primitive::float_long), errc::type);
  EXPECT_EQ(refused(atomic_op::minloc, primitive::int_int), errc::type);
  EXPECT_EQ(refused(atomic_op::replace, primitive::opaque), errc::type);
  EXPECT_EQ(refused(atomic_op::band, primitive::float32), errc::op);
  EXPECT_EQ(refused(atomic_op::sum, primitive::boolean), errc::op);
  auto wide = task_of(atomic_op::no_op, primitive::opaque, 1, m.get(), operand, nullptr);
  wide.action = atomic_action::compare_swap;
  wide.width = 16;
  EXPECT_EQ(runtime().apply(0, wide), errc::type);
  EXPECT_EQ(read_value<std::uint64_t>(m.get()), 0u);
}

TEST_F(device_atomics_test, DoesNothingToNoElements) {
  EXPECT_EQ(
      runtime().apply(0, task_of(atomic_op::sum, primitive::int32, 0, nullptr, nullptr, nullptr)),
      errc::success);
}

}  // namespace
}  // namespace oriel::testing
