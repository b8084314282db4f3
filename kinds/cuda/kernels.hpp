// The device code of the kind cuda: atomic_kernels.cu, compiled with the library and embedded
// (cmake/OrielDeviceCode.cmake).
#pragma once

#include <cstddef>
#include <span>

#if defined(ORIEL_ATOMIC_KERNELS)
extern "C" const std::byte oriel_atomic_kernels_begin[];
extern "C" const std::byte oriel_atomic_kernels_end[];
#endif

namespace oriel::kinds {

// A fat binary for the driver's module loader; empty when the library was built without nvcc.
inline std::span<const std::byte> cuda_kernels() noexcept {
#if defined(ORIEL_ATOMIC_KERNELS)
  return {oriel_atomic_kernels_begin, oriel_atomic_kernels_end};
#else
  return {};
#endif
}

// The oldest compute capability that it has code for, times ten.
inline constexpr int cuda_kernels_oldest = 75;

}  // namespace oriel::kinds
