// What two shapes lay out, got from the owner of the target's memory, which is asked by lists of
// runs to collect it in room that both map.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

// Complete on return. Returns system, with nothing done, where there is no such room.
errc get_runs_by_mail(window_core&, const target&, std::byte* result, const shape& here,
                      const shape& there) noexcept;

}  // namespace oriel::win
