// Accumulate kernels of bytes, bool and integers of 8 and 16 bits.
#include "atomics/kernel_body.hpp"
#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

const kernel_row* small_integer_kernels(primitive p, kernel_mode mode) noexcept {
  return pick<std::byte, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(p, mode);
}

}  // namespace oriel::atomics
