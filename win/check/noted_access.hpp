// ORIEL_CHECK: an access of this rank's on its way into the log of the memory that it is to.
#pragma once

#include <optional>
#include <string>

#include "oriel/call_site.hpp"
#include "oriel/rank.hpp"
#include "win/check/shadow_log.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Sets who makes the access, when, and where.
void begin_access(detail::window_core&, shadow_access& made, call_site);
// "overlaps a put of rank 3 at main.cpp:12, and nothing orders them".
std::string overlaps(detail::window_core&, const shadow_access& other, const shadow_access& made);

// Notes an access to memory of `owner`: of `made` the bytes, the kind and type, the time at
// which it is complete, and whether it is requested count. Returns nothing; or, where another
// conflicts with it, which is not noted then, "overlaps a put of rank 3 at main.cpp:12, and nothing
// orders them". Does nothing where the memory has no log here. Throws std::bad_alloc.
std::optional<std::string> note_access(detail::window_core&, rank owner, shadow_access made,
                                       call_site);

}  // namespace oriel::win
