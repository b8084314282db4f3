// What this rank contributes to a construction: its arguments, checked, and what it can do.
#pragma once

#include "win/construct/construct.hpp"
#include "win/construct/own_memory.hpp"
#include "win/construct/request.hpp"

namespace oriel::win {

// Never throws: what is wrong with the arguments travels with the request, so that every rank
// fails alike. `mine` becomes what this rank's memory is.
construction_request describe_locally(const construction&, detail::team_state&,
                                      own_memory& mine) noexcept;

}  // namespace oriel::win
