// The accumulate kernels by group of element types, each in a translation unit of its own. A group
// returns nullptr for the types of the others.
#pragma once

#include "atomics/kernels.hpp"

namespace oriel::atomics {

const kernel_row* small_integer_kernels(primitive, kernel_mode) noexcept;  // and byte, bool
const kernel_row* integer_kernels(primitive, kernel_mode) noexcept;
const kernel_row* real_kernels(primitive, kernel_mode) noexcept;
const kernel_row* complex_kernels(primitive, kernel_mode) noexcept;
const kernel_row* pair_kernels(primitive, kernel_mode) noexcept;

}  // namespace oriel::atomics
