// An argument of a container's construction on which all ranks agree.
#pragma once

#include <cstdint>

#include "oriel/team.hpp"

namespace oriel::detail {

// Collective. Throws mismatched_assertions, on every rank, with the text that words(least, most)
// returns, where the ranks give different numbers; what team::allreduce throws.
template <class Words>
void require_agreed(const team& members, std::uint64_t mine, Words words) {
  const auto least = members.allreduce(mine, atomic_op::min);
  const auto most = members.allreduce(mine, atomic_op::max);
  if (least != most) throw error(errc::mismatched_assertions, words(least, most));
}

}  // namespace oriel::detail
