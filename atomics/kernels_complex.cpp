// Accumulate kernels of complex numbers.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn complex_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return pick<std::complex<float>, std::complex<double>, std::complex<long double>>(op, p, mode);
}

}  // namespace oriel::atomics
