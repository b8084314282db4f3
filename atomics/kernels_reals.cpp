// Accumulate kernels of floating-point numbers.
#include "atomics/kernel_body.hpp"

namespace oriel::atomics {

const type_kernels* real_kernels(primitive p) noexcept {
  return pick<float, double, long double>(p);
}

}  // namespace oriel::atomics
