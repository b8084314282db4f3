// The steps that every way to make a team shares: on each node the first member makes the block of
// the collectives, the others receive its address, and each builds its own state.
#pragma once

#include <cstdint>
#include <vector>

#include "oriel/team.hpp"
#include "session/team/team_state.hpp"

namespace oriel::sessions {

// Throws `code` with a text that states what failed, and which ranks are gone.
[[noreturn]] void collective_failed(const detail::team_state&, errc code, const char* what);

// For the collectives of the ranks `node_members`, of `parent` and on this node. Throws no_mem.
std::uint64_t allocate_block(detail::team_state& parent, const std::vector<int>& node_members);
// This rank, one of `node_members`, does not take part in the block; the last that does not gives
// it back.
void give_up_block(detail::team_state& parent, const std::vector<int>& node_members,
                   std::uint64_t block);
// The team of `members`, ranks of `parent`, whose part on this node has its collectives in `block`.
team join(detail::team_state& parent, const std::vector<int>& members, std::uint64_t block,
          std::uint64_t id);

}  // namespace oriel::sessions
