// Accumulate kernels of complex numbers.
#include "atomics/kernel_body.hpp"

namespace oriel::atomics {

const type_kernels* complex_kernels(primitive p) noexcept {
  return pick<std::complex<float>, std::complex<double>, std::complex<long double>>(p);
}

}  // namespace oriel::atomics
