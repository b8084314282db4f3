// The steps that every way to make a team shares: on each node the first member makes the block of
// the collectives, the others receive its address, and each builds its own state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/team.hpp"
#include "session/team/team_state.hpp"

namespace oriel::sessions {

// Throws `code` with a text that states what failed, and which ranks are gone.
[[noreturn]] void collective_failed(const detail::team_state&, errc code, const char* what);

// What a rank gives the others while a team is made: the outcome of its part, without a text, which
// would be most of what travels and says no more than the code.
struct block_offer {
  std::uint64_t block = 0;  // of the first rank of each node
  errc failed = errc::success;
};

// For the part on this node, `on_node` ranks, of a team of at most `ranks` of `parent`.
block_offer make_block(detail::team_state& parent, std::size_t on_node, std::size_t ranks) noexcept;
// This rank, one of `node_members`, does not take part in the block; the last that does not gives
// it back.
void give_up_block(detail::team_state& parent, std::span<const int> node_members,
                   std::uint64_t block);
// The team of `members`, ranks of `parent`, whose part on this node is in `block`.
team join(detail::team_state& parent, const std::vector<int>& members, std::uint64_t block,
          std::uint64_t id);
// The same, once every one of `members` has given its offer, in their order. Where one has failed,
// gives the block up and throws, on all of them, which and why; `what` makes the team.
team join(detail::team_state& parent, const std::vector<int>& members,
          const std::vector<int>& node_members, const std::vector<block_offer>& offers,
          std::uint64_t id, const char* what);

}  // namespace oriel::sessions
