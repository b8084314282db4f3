// Accumulate kernels of bytes, bool and integers of 8 and 16 bits.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

accumulate_fn small_integer_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return pick<std::byte, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(op, p, mode);
}

}  // namespace oriel::atomics
