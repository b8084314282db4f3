// Accumulate kernels of floating-point numbers.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

const kernel_row* real_kernels(primitive p, kernel_mode mode) noexcept {
  return pick<float, double, long double>(p, mode);
}

}  // namespace oriel::atomics
