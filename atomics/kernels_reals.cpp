// Accumulate kernels of floating-point numbers.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn real_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return pick<float, double, long double>(op, p, mode);
}

}  // namespace oriel::atomics
