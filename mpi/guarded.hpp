// ORIEL_CHECK=pages: the memory of windows that the program sees at addresses of its own.
#pragma once

#include "oriel/team.hpp"
#include "session/team/team_state.hpp"
#include "win/check/guarded_memory.hpp"

namespace oriel::mpi {

// That of the team's session; null without ORIEL_CHECK=pages.
inline win::guarded_memory* guard_of(const team& members) {
  return win::guarded_memory::of(members.state()->session());
}

}  // namespace oriel::mpi
