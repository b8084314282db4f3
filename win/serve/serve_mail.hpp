// Serving the requests of this node's ranks for memory that they do not map.
#pragma once

#include "win/window_core.hpp"

namespace oriel::win {

// Serves what has arrived for this process. Called by its agent. Returns whether anything had.
bool serve_mail(detail::window_core&) noexcept;

}  // namespace oriel::win
