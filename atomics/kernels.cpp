#include "atomics/kernels.hpp"

#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn accumulate_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  if (!defined(op, p)) return nullptr;
  if (p <= primitive::int16 || p == primitive::uint8 || p == primitive::uint16)
    return small_integer_kernel(op, p, mode);
  if (p <= primitive::uint64) return integer_kernel(op, p, mode);
  if (p <= primitive::float_long) return real_kernel(op, p, mode);
  if (p <= primitive::complex_long) return complex_kernel(op, p, mode);
  return pair_kernel(op, p, mode);
}

}  // namespace oriel::atomics
