// The last stage of a construction: all agree whether every rank has opened its part, and exchange
// what they need of each other.
#pragma once

#include <memory>

#include "win/construct/open.hpp"

namespace oriel::win {

// Collective where `b.needs_settling()`. Throws the same error on every rank, but after a death.
std::unique_ptr<detail::window_core> publish(const blueprint& b, opened);

}  // namespace oriel::win
