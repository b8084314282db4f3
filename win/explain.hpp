// A window in words: what was decided, and what kept it from being faster.
#pragma once

#include <string>

#include "win/window_core.hpp"

namespace oriel::win {

std::string explain(const detail::window_core&);

}  // namespace oriel::win
