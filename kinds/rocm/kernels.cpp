#include "kinds/rocm/kernels.hpp"

#if defined(ORIEL_ROCM_KERNELS)

// Bundles of device code begin at a page.
asm(R"(
  .section .rodata
  .balign 4096
  .hidden oriel_rocm_kernels_begin
  .hidden oriel_rocm_kernels_end
  .globl oriel_rocm_kernels_begin
  .globl oriel_rocm_kernels_end
oriel_rocm_kernels_begin:
  .incbin ")" ORIEL_ROCM_KERNELS R"("
oriel_rocm_kernels_end:
  .byte 0
  .previous
)");

extern "C" __attribute__((visibility("hidden"))) const char oriel_rocm_kernels_begin[];

const void* oriel::kinds::rocm_kernels() noexcept {
  return oriel_rocm_kernels_begin;
}

#else

const void* oriel::kinds::rocm_kernels() noexcept {
  return nullptr;
}

#endif
