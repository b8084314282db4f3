// The accumulate kernels by group of element types, each in a translation unit of its own. A group
// gives nullptr for the types of the others.
#pragma once

#include "atomics/kernels.hpp"

namespace oriel::atomics {

accumulate_fn small_integer_kernel(atomic_op, primitive, kernel_mode) noexcept;  // and byte, bool
accumulate_fn integer_kernel(atomic_op, primitive, kernel_mode) noexcept;
accumulate_fn real_kernel(atomic_op, primitive, kernel_mode) noexcept;
accumulate_fn complex_kernel(atomic_op, primitive, kernel_mode) noexcept;
accumulate_fn pair_kernel(atomic_op, primitive, kernel_mode) noexcept;

}  // namespace oriel::atomics
