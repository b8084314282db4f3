// The atomics that kernels perform, run on the host: every operation and element type against
// oriel's own kernels, and under contention.
#include "oriel/detail/device_atomic.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "atomics/kernels.hpp"
#include "kinds/atomic_kernel_body.cuh"
#include "tests/atomics/oracle.hpp"

namespace oriel {
namespace {

using namespace oriel::testing;
using kinds::atomic_action;
using kinds::atomic_task;

constexpr std::size_t n = 37;

struct alignas(64) run {
  std::byte bytes[n * 8 + 64];
};

template <class F>
void for_each_kernel(F f) {
  for (int o = 0; o < atomic_op_count; ++o)
    for (int p = 0; p < primitive_count; ++p)
      if (kinds::kernels_apply(static_cast<atomic_op>(o), static_cast<primitive>(p)))
        f(static_cast<atomic_op>(o), static_cast<primitive>(p));
}

void fill(run& r, primitive p, std::mt19937_64& random) {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(r.bytes + i * size_of(p), some_element(p, random).data(), size_of(p));
}

// As a grid of five threads would.
void apply(const atomic_task& task) {
  for (std::uint64_t thread = 0; thread < 5; ++thread) kinds::apply_share(task, thread, 5);
}

TEST(device_atomic, agrees_with_the_kernels_of_the_cpu) {
  std::mt19937_64 random(7);
  int checked = 0;
  for_each_kernel([&](atomic_op op, primitive p) {
    SCOPED_TRACE(std::string(name(op)) + " on " + std::string(name(p)));
    const std::size_t size = size_of(p);
    for (const bool fetch : {false, true}) {
      run target{}, operands{}, results{};
      fill(target, p, random);
      fill(operands, p, random);
      target.bytes[n * size] = std::byte{0x5a};  // right behind the last element
      run expected = target, old{};
      const auto kernel = atomics::accumulate_kernel(op, p, atomics::kernel_mode::plain);
      ASSERT_EQ(kernel(expected.bytes, operands.bytes, old.bytes, n, nullptr, 0), errc::success);
      atomic_task task;
      task.op = op;
      task.type = p;
      task.width = static_cast<std::uint8_t>(size);
      task.n = n;
      task.location = target.bytes;
      task.operands = op == atomic_op::no_op ? nullptr : operands.bytes;
      task.results = fetch ? results.bytes : nullptr;
      apply(task);
      EXPECT_EQ(std::memcmp(target.bytes, expected.bytes, sizeof target.bytes), 0);
      if (fetch) {
        EXPECT_EQ(std::memcmp(results.bytes, old.bytes, n * size), 0);
      }
      ++checked;
    }
  });
  EXPECT_EQ(checked, 2 * (8 * 12 + 2 * 6 + 5 + 5));  // integers, reals, bool, byte
}

template <std::size_t Width>
void check_swap(std::size_t place) {
  SCOPED_TRACE(std::to_string(Width) + " bytes, element " + std::to_string(place));
  using bytes = std::array<std::byte, Width>;
  alignas(8) bytes memory[8 / Width], expected[8 / Width], operands[2], result;
  for (bytes& m : memory) m.fill(std::byte{0x11});
  std::copy(std::begin(memory), std::end(memory), std::begin(expected));
  operands[0].fill(std::byte{0x11});
  operands[0].back() = std::byte{0x12};  // differs in its last byte
  operands[1].fill(std::byte{0x77});
  atomic_task task;
  task.action = atomic_action::compare_swap;
  task.width = Width;
  task.n = 1;
  task.location = memory + place;
  task.operands = operands;
  task.results = &result;
  apply(task);
  EXPECT_TRUE(std::equal(std::begin(memory), std::end(memory), std::begin(expected)));
  EXPECT_EQ(result, expected[place]);
  operands[0] = result;
  apply(task);
  EXPECT_EQ(result, expected[place]);
  expected[place] = operands[1];
  EXPECT_TRUE(std::equal(std::begin(memory), std::end(memory), std::begin(expected)));
}

TEST(device_atomic, swaps_on_equal_bytes_only) {
  for (std::size_t place = 0; place < 8; ++place) check_swap<1>(place);
  for (std::size_t place = 0; place < 4; ++place) check_swap<2>(place);
  for (std::size_t place = 0; place < 2; ++place) check_swap<4>(place);
  check_swap<8>(0);
}

// Threads update one element, and others its neighbour in the same 4 bytes where it is narrower.
// What each found, with its operand, gives what it stored: all that was found and the last value
// are all that was stored and the first one, if every update was atomic.
TEST(device_atomic, loses_nothing_under_contention) {
  constexpr int threads = 4, rounds = 400;
  for_each_kernel([&](atomic_op op, primitive p) {
    if (op == atomic_op::no_op) return;
    SCOPED_TRACE(std::string(name(op)) + " on " + std::string(name(p)));
    const std::size_t size = size_of(p);
    alignas(64) std::byte memory[64] = {};
    std::vector<element> found[2], stored[2];
    std::vector<element> of_thread_found[threads], of_thread_stored[threads];
    std::mt19937_64 seed(11);
    for (int place = 0; place < 2; ++place) {
      const element first = some_element(p, seed, true);
      std::memcpy(memory + place * size, first.data(), size);
      stored[place].push_back(normal(p, first));
    }
    std::vector<std::thread> crowd;
    for (int t = 0; t < threads; ++t)
      crowd.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<unsigned>(t) + 1);
        for (int i = 0; i < rounds; ++i) {
          alignas(8) std::byte operand[8], result[8];
          const element e = some_element(p, random, true);
          std::memcpy(operand, e.data(), size);
          atomic_task task;
          task.op = op;
          task.type = p;
          task.n = 1;
          task.location = memory + static_cast<std::size_t>(t % 2) * size;
          task.operands = operand;
          task.results = result;
          kinds::apply_share(task, 0, 1);
          const element old = read_element(p, result);
          of_thread_found[t].push_back(normal(p, old));
          of_thread_stored[t].push_back(normal(p, oracle(op, p, old, e)));
        }
      });
    for (std::thread& t : crowd) t.join();
    for (int t = 0; t < threads; ++t) {
      auto& f = found[t % 2];
      auto& s = stored[t % 2];
      f.insert(f.end(), of_thread_found[t].begin(), of_thread_found[t].end());
      s.insert(s.end(), of_thread_stored[t].begin(), of_thread_stored[t].end());
    }
    for (int place = 0; place < 2; ++place) {
      found[place].push_back(normal(p, read_element(p, memory + place * size)));
      std::sort(found[place].begin(), found[place].end());
      std::sort(stored[place].begin(), stored[place].end());
      EXPECT_EQ(found[place], stored[place]);
    }
  });
}

TEST(device_atomic, moves_whole_elements) {
  alignas(8) std::uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  namespace device = detail::device;
  EXPECT_EQ(device::load(bytes + 3), 4);
  device::store(bytes + 3, std::uint8_t{9});
  EXPECT_EQ(device::exchange(bytes + 6, std::uint8_t{77}), 7);
  const std::uint8_t expected[8] = {1, 2, 3, 9, 5, 6, 77, 8};
  EXPECT_EQ(std::memcmp(bytes, expected, 8), 0);
  double real = 1.5;
  EXPECT_EQ(device::exchange(&real, 2.5), 1.5);
  EXPECT_EQ(device::load(&real), 2.5);
}

}  // namespace
}  // namespace oriel
