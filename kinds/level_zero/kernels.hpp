// The device code of the kind level_zero: atomic_kernels.cl as SPIR-V, embedded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kinds/atomic_task.hpp"

namespace oriel::kinds {

// What zeModuleCreate takes; empty in a build without clang and llvm-spirv.
std::span<const std::byte> level_zero_kernels() noexcept;

// Calls `set` with each argument of the kernel, in its order, until one returns false; returns
// whether none did.
template <class Set>
bool set_arguments(const atomic_task& task, Set&& set) {
  return set(static_cast<std::uint32_t>(task.action)) && set(static_cast<std::uint32_t>(task.op)) &&
         set(static_cast<std::uint32_t>(task.type)) && set(std::uint32_t{task.width}) &&
         set(task.n) && set(task.location) && set(task.operands) && set(task.results);
}

}  // namespace oriel::kinds
