// Ranks, displacements and operations as Python gives them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/python/src/module.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/rank.hpp"
#include "oriel/team.hpp"

namespace oriel::python {

// Throws ValueError for a number of no operation.
inline atomic_op op_from(int number) {
  if (number < 0 || number >= atomic_op_count)
    throw py::value_error(std::to_string(number) + " is no operation; see oriel.Op");
  return static_cast<atomic_op>(number);
}

// Throws rank for one that the team does not have.
inline rank rank_from(int number, int ranks) {
  if (number < 0 || number >= ranks)
    throw error(errc::rank, "rank " + std::to_string(number) + " is none of the team's " +
                                std::to_string(ranks) + " (0 to " + std::to_string(ranks - 1) +
                                ") [rank]");
  return rank{number};
}

// The ranks of a sequence, as they are: who takes them verifies them.
inline std::vector<rank> ranks_from(const py::iterable& given) {
  std::vector<rank> made;
  for (const auto& one : given) made.emplace_back(one.cast<int>());
  return made;
}

}  // namespace oriel::python
