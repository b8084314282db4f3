// Copies between any two pieces of memory, and zeroes in any: of the host, of a device, of devices
// of two vendors.
#pragma once

#include <cstddef>

#include "oriel/errc.hpp"

namespace oriel::kinds {

// Complete on return, and visible to kernels that start afterwards. The pieces do not overlap.
// Memory of a vendor whose runtime is not loaded is taken for the host's. Returns no_mem, or
// system when a vendor's copy fails.
errc copy_bytes(void* to, const void* from, std::size_t bytes) noexcept;
// Likewise. Memory of a device is zeroed by the device.
errc clear_bytes(void* memory, std::size_t bytes) noexcept;

}  // namespace oriel::kinds
