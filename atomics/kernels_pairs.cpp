// Accumulate kernels of values with their index (minloc and maxloc).
#include "atomics/kernel_body.hpp"

namespace oriel::atomics {

const type_kernels* pair_kernels(primitive p) noexcept {
  return pick<value_index<float>, value_index<double>, value_index<long>, value_index<int>,
              value_index<short>, value_index<long double>, value_index<float, float>,
              value_index<double, double>>(p);
}

}  // namespace oriel::atomics
