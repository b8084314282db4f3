// What a window's inlined operations read.
#pragma once

#include "win/window_core.hpp"

namespace oriel::win {

// Fills `view`, and `own_entries` of windows that attach: a table hides the memory of every rank
// from those inlined operations that must call the operation table. REQUIRES: all else of the core
// is set, but for its operation tables.
void prepare_view(detail::window_core&);

}  // namespace oriel::win
