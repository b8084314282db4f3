// What a thread of the simulation is amid, for the description of a run that fails.
#pragma once

#include <string>

namespace oriel::sim {

// The functions that have been called and have not returned, the innermost first, without the
// simulation's own: "fabric::sleep < window::flush". Of functions whose names the program does not
// show to others nothing is said.
std::string calls_from_here();

}  // namespace oriel::sim
