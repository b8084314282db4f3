// The hints that a window honours, as `window::hints` reports them.
#pragma once

#include "oriel/info.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

// The same at any time: of what construction was given, and of the team's hints then.
info hints_in_force(const detail::window_core&);

}  // namespace oriel::win
