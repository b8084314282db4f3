#include "kinds/rocm/kernels.hpp"

#if defined(ORIEL_ROCM_KERNELS)

#include <cstddef>

extern "C" const std::byte oriel_rocm_kernels_begin[];

const void* oriel::kinds::rocm_kernels() noexcept {
  return oriel_rocm_kernels_begin;
}

#else

const void* oriel::kinds::rocm_kernels() noexcept {
  return nullptr;
}

#endif
