// In the place of simgrid_machines.cpp where SimGrid was not found.
#include "tests/sim/scale/machine_model.hpp"

namespace oriel::sim {

std::optional<machine_model> simgrid_machine(const std::string& name, int, std::string& why_not) {
  why_not = "the machine '" + name + "' needs SimGrid, which was not found as this was configured";
  return std::nullopt;
}

}  // namespace oriel::sim
