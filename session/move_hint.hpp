// Whether memory that a program brings to a window is moved into the node's memory, at the same
// addresses (session/node/moved_pages.hpp): the hint oriel_move_private, or ORIEL_MOVE_PRIVATE.
#pragma once

#include "oriel/info.hpp"

namespace oriel::sessions {

// False when neither is given. Throws errc::info for a hint that is neither true nor false,
// errc::arg for a variable that is neither 0 nor 1.
bool moves_private(const info&);

}  // namespace oriel::sessions
