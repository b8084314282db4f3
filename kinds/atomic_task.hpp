// One atomic operation on device memory, as a kernel takes it by value. Compiled by host and device
// compilers alike, so it is plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/atomic_op.hpp"
#include "oriel/primitive.hpp"

namespace oriel::kinds {

enum class atomic_action : std::uint8_t {
  accumulate,    // results, if wanted, are the values before
  compare_swap,  // of one element of `width` bytes: 1, 2, 4 or 8
};

// How the host withdraws a task whose kernel has no room on the device yet, in memory that both
// reach, of zeros at first. A thread stores `begun` and then loads `withdrawn`; the host stores
// `withdrawn` and then loads `begun`; each has a fence in between, so one of them at least sees the
// other's. What the host withdraws before any thread has begun is never done.
struct atomic_gate {
  std::uint32_t begun = 0;
  std::uint32_t withdrawn = 0;
  std::uint32_t left_out = 0;  // by a thread that saw `withdrawn`: some element is not updated
};

struct atomic_task {
  atomic_action action = atomic_action::accumulate;
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  std::uint8_t width = 0;          // bytes of an element
  std::uint64_t n = 0;             // elements
  void* location = nullptr;        // of the first element; memory that kernels reach
  const void* operands = nullptr;  // any memory; for compare_swap: expected, then desired
  void* results = nullptr;         // any memory; null when they are not wanted
  atomic_gate* gate = nullptr;     // null: it is not withdrawn
};

// The kernel's name in every module of device code, and how it is called: one task by value, with
// operands and results in memory that kernels reach.
inline constexpr const char* atomic_kernel = "oriel_apply";

// Whether kernels apply `op` to elements of `type`: integers, bool and byte of 1 to 8 bytes, float
// and double.
constexpr bool kernels_apply(atomic_op op, primitive type) noexcept {
  return defined(op, type) && type >= primitive::byte && type <= primitive::float64;
}

}  // namespace oriel::kinds
