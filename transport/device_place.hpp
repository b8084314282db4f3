// Memory of a device kind as libfabric needs it: the vendor, the residence, the device.
#pragma once

#include "kinds/device_runtime.hpp"

namespace oriel::transport {

struct device_place {
  kinds::vendor whose = kinds::vendor::cuda;
  kinds::residence where = kinds::residence::device;
  int device = 0;  // ordinal, as the kind's runtime counts
};

constexpr device_place place_of(const kinds::device_allocation& a) noexcept {
  return {a.whose, a.where, a.device};
}

}  // namespace oriel::transport
