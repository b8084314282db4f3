// The accumulate kernels by group of element types, each in a translation unit of its own. A group
// returns nullptr for the types of the others.
#pragma once

#include "atomics/kernels.hpp"

namespace oriel::atomics {

// All loops of one element type, by operation; null where it is not defined.
struct type_kernels {
  kernel_row atomic{};
  kernel_row plain{};
  kernel_row plain_wide{};  // for processors with wider vectors than the build asks for
  blocks_row blocks{};
  scattered_row scattered{};
};

const type_kernels* small_integer_kernels(primitive) noexcept;  // and byte, bool
const type_kernels* integer_kernels(primitive) noexcept;
const type_kernels* real_kernels(primitive) noexcept;
const type_kernels* complex_kernels(primitive) noexcept;
const type_kernels* pair_kernels(primitive) noexcept;

}  // namespace oriel::atomics
