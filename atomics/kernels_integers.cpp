// Accumulate kernels of integers of 32 and 64 bits.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn integer_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return pick<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>(op, p, mode);
}

}  // namespace oriel::atomics
