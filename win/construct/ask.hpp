// The first stage of a construction: what this rank contributes to it, its arguments, checked, and
// what it can do.
#pragma once

#include <memory>

#include "win/construct/construct.hpp"
#include "win/construct/own_memory.hpp"
#include "win/construct/request.hpp"

namespace oriel::win {

struct question {
  construction_request request;
  own_memory mine;  // what this rank's memory is, or will be
  // Empty yet. Made before the agreement, since a rank without memory for it has to refuse.
  std::unique_ptr<detail::window_core> core;
};

// Never throws: what is wrong with the arguments travels with the request, so that every rank fails
// alike.
question ask(const construction&, detail::team_state&) noexcept;

}  // namespace oriel::win
