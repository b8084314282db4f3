// Accumulate kernels of complex numbers.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

const kernel_row* complex_kernels(primitive p, kernel_mode mode) noexcept {
  return pick<std::complex<float>, std::complex<double>, std::complex<long double>>(p, mode);
}

}  // namespace oriel::atomics
