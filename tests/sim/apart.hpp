// A run in a process of its own, which is a fork of this one: what killed ranks leave behind goes
// with it, and a run that crashes is one that fails.
#pragma once

#include <functional>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

verdict run_apart(const std::function<verdict()>& run);

}  // namespace oriel::sim
