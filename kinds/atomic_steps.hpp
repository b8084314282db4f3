// How a runtime gets a task of atomics (kinds/atomic_task.hpp) to a kernel: whether one does it,
// its grid, and its elements a part at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kinds/atomic_task.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// Threads and blocks for n elements: one warp for a single element, which is what most tasks have.
// The kernel strides over what is more than the grid.
struct kernel_shape {
  unsigned blocks;
  unsigned threads;

  static kernel_shape of(std::uint64_t n, unsigned warp) noexcept {
    constexpr std::uint64_t most_threads = 256;
    constexpr std::uint64_t most_blocks = 1024;
    const std::uint64_t threads = std::min((n + warp - 1) / warp * warp, most_threads);
    const std::uint64_t blocks = std::min((n + threads - 1) / threads, most_blocks);
    return {static_cast<unsigned>(blocks), static_cast<unsigned>(threads)};
  }
};

inline bool swaps(const atomic_task& task) noexcept {
  return task.action == atomic_action::compare_swap;
}

inline std::size_t operand_bytes(const atomic_task& task) noexcept {
  if (swaps(task)) return 2 * std::size_t{task.width};
  return task.op == atomic_op::no_op ? 0 : task.n * task.width;
}

// Why no kernel does the task.
inline errc refusal(const atomic_task& task) noexcept {
  if (swaps(task)) {
    const bool word = task.width == 1 || task.width == 2 || task.width == 4 || task.width == 8;
    return word ? errc::success : errc::type;
  }
  if (task.type < primitive::byte || task.type > primitive::float64) return errc::type;
  return kernels_apply(task.op, task.type) ? errc::success : errc::op;
}

// What is left of the task after its first `elements`.
inline void advance(atomic_task& task, std::uint64_t elements) noexcept {
  const std::size_t bytes = elements * task.width;
  task.location = static_cast<std::byte*>(task.location) + bytes;
  if (task.operands != nullptr)
    task.operands = static_cast<const std::byte*>(task.operands) + bytes;
  if (task.results != nullptr) task.results = static_cast<std::byte*>(task.results) + bytes;
}

// The task with what a kernel reads of its kind: one word, or elements of their type's width.
inline atomic_task completed(atomic_task task) noexcept {
  if (swaps(task))
    task.n = 1;
  else
    task.width = static_cast<std::uint8_t>(size_of(task.type));
  return task;
}

}  // namespace oriel::kinds
