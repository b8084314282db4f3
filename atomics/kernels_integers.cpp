// Accumulate kernels of integers of 32 and 64 bits.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

const kernel_row* integer_kernels(primitive p, kernel_mode mode) noexcept {
  return pick<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>(p, mode);
}

}  // namespace oriel::atomics
