// Accumulate kernels of values with their index (minloc and maxloc).
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn pair_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return pick<value_index<float>, value_index<double>, value_index<long>, value_index<int>,
              value_index<short>, value_index<long double>>(op, p, mode);
}

}  // namespace oriel::atomics
