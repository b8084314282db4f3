// Whose memory a pointer names: asked of every runtime that has been loaded, in the vendors' order.
#pragma once

#include <optional>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

// Nothing for memory that no loaded runtime knows; loads none. Never a stale answer. Any thread.
//
// Costs one comparison while no runtime is loaded. Else, for memory that the thread has asked about
// lately, one question for the allocation's id; for other memory a whole classification.
std::optional<device_allocation> classify(const void* pointer) noexcept;

}  // namespace oriel::kinds
