// Whose memory a pointer points to, among the vendors whose runtimes have been loaded.
#pragma once

#include <optional>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

// Nothing for memory of the host that no vendor knows. Loads no runtime.
std::optional<device_allocation> classify(const void*) noexcept;

}  // namespace oriel::kinds
