// Accumulate kernels of bytes, bool and integers of 8 and 16 bits.
#include "atomics/kernel_body.hpp"

namespace oriel::atomics {

const type_kernels* small_integer_kernels(primitive p) noexcept {
  return pick<std::byte, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>(p);
}

}  // namespace oriel::atomics
