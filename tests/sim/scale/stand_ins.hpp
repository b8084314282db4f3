// The ranks of a node that do not run: what they would do where the ranks of a node meet in shared
// memory (stand_ins.cpp).
#pragma once

#include "sync/barrier.hpp"

namespace oriel::sim {

// Fewer ranks meet at lines of their own, which the header's inline part looks at.
inline constexpr int fewest_stood_for = sync::node_barrier::widest_flat + 1;

}  // namespace oriel::sim
