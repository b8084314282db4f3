#include "tests/drivers/kernel.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "oriel/detail/cpu_atomic.hpp"
#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ledger.hpp"

namespace oriel::test_driver {
namespace {

using kinds::atomic_action;
using kinds::atomic_task;

template <atomic_op Op, class T>
void accumulate(std::byte* place, const std::byte* operands, std::byte* results, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    T operand{};
    if (Op != atomic_op::no_op) std::memcpy(&operand, operands + i * sizeof(T), sizeof(T));
    const T before = detail::cpu_fetch_op<Op>(reinterpret_cast<T*>(place) + i, operand);
    if (results != nullptr) std::memcpy(results + i * sizeof(T), &before, sizeof(T));
  }
}

template <class T>
void compare_swap(std::byte* place, const std::byte* operands, std::byte* results) {
  T words[2];
  std::memcpy(words, operands, sizeof words);
  const T before = detail::cpu_compare_swap(reinterpret_cast<T*>(place), words[0], words[1]);
  if (results != nullptr) std::memcpy(results, &before, sizeof before);
}

// Calls `f` with the operation as a constant.
template <class F, int... I>
void with_op(atomic_op op, F&& f, std::integer_sequence<int, I...>) {
  static_cast<void>(
      ((static_cast<int>(op) == I && (f.template operator()<atomic_op{I}>(), true)) || ...));
}

void run_accumulate(const atomic_task& task, std::byte* place, const std::byte* operands,
                    std::byte* results) {
  const auto all = std::make_integer_sequence<int, atomic_op_count>{};
  with_type(task.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) <= 8 && primitive_of<T>() <= primitive::float64)
      with_op(
          task.op,
          [&]<atomic_op Op>() {
            if constexpr (defined(Op, primitive_of<T>()))
              accumulate<Op, T>(place, operands, results, task.n);
          },
          all);
  });
}

void run_compare_swap(std::uint8_t width, std::byte* place, const std::byte* operands,
                      std::byte* results) {
  if (width == 1) return compare_swap<std::uint8_t>(place, operands, results);
  if (width == 2) return compare_swap<std::uint16_t>(place, operands, results);
  if (width == 4) return compare_swap<std::uint32_t>(place, operands, results);
  compare_swap<std::uint64_t>(place, operands, results);
}

bool known(const atomic_task& task) {
  const bool width = task.width == 1 || task.width == 2 || task.width == 4 || task.width == 8;
  if (task.action == atomic_action::compare_swap) return width && task.n == 1;
  return width && kinds::kernels_apply(task.op, task.type);
}

}  // namespace

bool run_atomic_kernel(const atomic_task& task) {
  if (!known(task)) {
    fault("a kernel was given a task that none does",
          "operation " + std::to_string(static_cast<int>(task.op)) + ", type " +
              std::to_string(static_cast<int>(task.type)) + ", width " +
              std::to_string(task.width) + ", elements " + std::to_string(task.n));
    return false;
  }
  auto& heap = device_heap::instance();
  const bool swap = task.action == atomic_action::compare_swap;
  const std::uint64_t bytes = task.n * task.width;
  if (reinterpret_cast<std::uintptr_t>(task.place) % task.width != 0) {
    fault("a kernel's atomic is misaligned", text_of(task.place));
    return false;
  }
  std::byte* const place = heap.reach_by_kernel(task.place, bytes);
  if (place == nullptr) return false;
  const std::byte* operands = nullptr;
  if (swap || task.op != atomic_op::no_op) {
    operands = heap.reach_by_kernel(task.operands, swap ? 2 * bytes : bytes);
    if (operands == nullptr) return false;
  }
  std::byte* results = nullptr;
  if (task.results != nullptr) {
    results = heap.reach_by_kernel(task.results, bytes);
    if (results == nullptr) return false;
  }
  if (swap)
    run_compare_swap(task.width, place, operands, results);
  else
    run_accumulate(task, place, operands, results);
  return true;
}

}  // namespace oriel::test_driver
