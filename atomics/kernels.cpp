#include "atomics/kernels.hpp"

#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

const kernel_row& kernels_of(primitive p, kernel_mode mode) noexcept {
  static constexpr kernel_row none{};
  for (const auto group :
       {small_integer_kernels, integer_kernels, real_kernels, complex_kernels, pair_kernels})
    if (const kernel_row* const found = group(p, mode)) return *found;
  return none;
}

accumulate_fn accumulate_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return kernels_of(p, mode)[static_cast<std::size_t>(op)];
}

}  // namespace oriel::atomics
