// Memory of a device kind in libfabric's words: which interface, which device.
#pragma once

#include <rdma/fi_domain.h>

#include <cstdint>
#include <string_view>

#include "transport/device_place.hpp"

namespace oriel::transport {

// FI_HMEM_SYSTEM for a kind that libfabric has no interface for.
constexpr fi_hmem_iface interface_of(kinds::vendor v) noexcept {
  switch (v) {
    case kinds::vendor::cuda:
      return FI_HMEM_CUDA;
    case kinds::vendor::rocm:
      return FI_HMEM_ROCR;
    case kinds::vendor::level_zero:
      return FI_HMEM_ZE;
    default:
      return FI_HMEM_SYSTEM;
  }
}

// As libfabric's manual writes it: "FI_HMEM_ZE".
constexpr std::string_view interface_name(kinds::vendor v) noexcept {
  switch (interface_of(v)) {
    case FI_HMEM_CUDA:
      return "FI_HMEM_CUDA";
    case FI_HMEM_ROCR:
      return "FI_HMEM_ROCR";
    case FI_HMEM_ZE:
      return "FI_HMEM_ZE";
    default:
      return "FI_HMEM_SYSTEM";
  }
}

// Fills in the interface and the device; returns the flags that fi_mr_regattr needs with them.
// ROCr finds the device by the address. Level Zero's ordinals are those of its first driver, the
// only one that libfabric 1.17 opens.
constexpr std::uint64_t describe(const device_place& at, fi_mr_attr& to) noexcept {
  to.iface = interface_of(at.whose);
  to.device.reserved = 0;
  if (at.whose == kinds::vendor::cuda) to.device.cuda = at.device;
  if (at.whose == kinds::vendor::level_zero) to.device.ze = at.device;
  return at.where == kinds::residence::device ? FI_HMEM_DEVICE_ONLY
         : at.where == kinds::residence::host ? FI_HMEM_HOST_ALLOC
                                              : 0;
}

}  // namespace oriel::transport
