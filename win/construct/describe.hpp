// The part of a construction that writes down what was agreed, and joins the protocols of shared
// memory that the promises need.
#pragma once

#include "win/construct/plan.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// REQUIRES: the core has its room in the node's memory.
void describe(const blueprint&, detail::window_core&);

}  // namespace oriel::win
