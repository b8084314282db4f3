#include "kinds/level_zero/kernels.hpp"

#if defined(ORIEL_SPIRV_KERNELS)

extern "C" const std::byte oriel_spirv_kernels_begin[];
extern "C" const std::byte oriel_spirv_kernels_end[];

std::span<const std::byte> oriel::kinds::level_zero_kernels() noexcept {
  return {oriel_spirv_kernels_begin, oriel_spirv_kernels_end};
}

#else

std::span<const std::byte> oriel::kinds::level_zero_kernels() noexcept {
  return {};
}

#endif
