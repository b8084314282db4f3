// Memory of a device kind as the way to other nodes is told of it: which vendor's, where it lives,
// on which device.
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
