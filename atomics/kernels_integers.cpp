// Accumulate kernels of integers of 32 and 64 bits.
#include "atomics/kernel_body.hpp"

namespace oriel::atomics {

const type_kernels* integer_kernels(primitive p) noexcept {
  return pick<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>(p);
}

}  // namespace oriel::atomics
