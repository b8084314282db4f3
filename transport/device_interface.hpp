// Memory of a device kind in libfabric's words: which interface, which device.
#pragma once

#include <rdma/fi_domain.h>

#include <cstdint>
#include <string_view>

#include "transport/device_place.hpp"

namespace oriel::transport {

constexpr fi_hmem_iface interface_of(kinds::vendor v) noexcept {
  return v == kinds::vendor::cuda   ? FI_HMEM_CUDA
         : v == kinds::vendor::rocm ? FI_HMEM_ROCR
                                    : FI_HMEM_ZE;
}

// As libfabric's manual writes it: "FI_HMEM_ZE".
constexpr std::string_view interface_name(kinds::vendor v) noexcept {
  return v == kinds::vendor::cuda   ? "FI_HMEM_CUDA"
         : v == kinds::vendor::rocm ? "FI_HMEM_ROCR"
                                    : "FI_HMEM_ZE";
}

// Fills in the interface and the device; returns the flags that fi_mr_regattr wants with them.
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
