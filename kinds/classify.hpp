// Whose memory a pointer names, by the runtimes that have been loaded, in the registry's order.
#pragma once

#include <optional>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

// Returns nothing for memory of no loaded runtime; loads none. Never a stale result. Any thread.
//
// Costs one comparison while no runtime is loaded. Else, for memory that the thread has classified
// lately, one query of the allocation's id; for other memory a whole classification.
std::optional<device_allocation> classify(const void* pointer) noexcept;

}  // namespace oriel::kinds
