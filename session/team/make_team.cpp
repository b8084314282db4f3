#include "session/team/make_team.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "session/outcome.hpp"
#include "session/session_state.hpp"
#include "session/team/collectives.hpp"

namespace oriel::sessions {

void collective_failed(const detail::team_state& t, errc code, const char* what) {
  throw error(code, "rank " + std::to_string(t.me()) + ": " + what + " of a team of " +
                        std::to_string(t.size()) + " failed: " + t.reason(code));
}

block_offer make_block(detail::team_state& p, std::size_t on_node, std::size_t ranks) noexcept {
  block_offer mine;
  outcome made;
  attempt(made, [&] {
    const int all = static_cast<int>(ranks);
    mine.block = p.session().memory().allocate(
        detail::team_state::bytes_of_block(static_cast<int>(on_node), all,
                                           std::min(all, p.where().nodes())),
        node_collectives::alignment);
  });
  mine.failed = made.code;
  return mine;
}

void give_up_block(detail::team_state& p, std::span<const int> node_members, std::uint64_t block) {
  if (block == 0) return;
  std::vector<int> members;
  members.reserve(node_members.size());
  for (const int r : node_members)
    members.push_back(p.session().job().node_rank_of(p.world_rank(r)));
  const auto me =
      std::find(node_members.begin(), node_members.end(), p.me()) - node_members.begin();
  node_collectives for_an_instant(p.session().memory(), block, static_cast<int>(me),
                                  std::move(members), p.watch());
  for_an_instant.stay_out();
}

team join(detail::team_state& p, const std::vector<int>& members, std::uint64_t block,
          std::uint64_t id) {
  std::vector<int> world;
  world.reserve(members.size());
  for (const int r : members) world.push_back(p.world_rank(r));
  const auto me = std::find(members.begin(), members.end(), p.me()) - members.begin();
  auto state = std::make_shared<detail::team_state>(p.shared_session(), world, static_cast<int>(me),
                                                    block, id);
  state->replace_hints(p.hints());
  return team(std::move(state));
}

team join(detail::team_state& p, const std::vector<int>& members,
          const std::vector<int>& node_members, const std::vector<block_offer>& offers,
          std::uint64_t id, const char* what) {
  const auto leader =
      std::find(members.begin(), members.end(), node_members.front()) - members.begin();
  const std::uint64_t block = offers[static_cast<std::size_t>(leader)].block;
  for (const block_offer& o : offers) {
    if (o.failed == errc::success) continue;
    give_up_block(p, node_members, block);
    collective_failed(p, o.failed, what);
  }
  return join(p, members, block, id);
}

}  // namespace oriel::sessions

namespace oriel {

team session::team_of(std::span<const rank> chosen, const allgather_function& allgather) const {
  struct made {
    sessions::block_offer offer;
    std::uint64_t id = 0;
  } mine;
  detail::team_state& world = *world_.state();
  std::vector<int> members;
  for (const rank r : chosen) {
    if (!world.has(r) || std::find(members.begin(), members.end(), r.value) != members.end())
      throw error(errc::rank, "rank " + std::to_string(r.value) +
                                  " is listed twice or is not in the job of " +
                                  std::to_string(world.size()));
    members.push_back(r.value);
  }
  if (std::find(members.begin(), members.end(), world.me()) == members.end())
    throw error(errc::rank, "rank " + std::to_string(world.me()) +
                                " is not a member of the team that it makes");
  std::vector<int> node_members;
  for (const int r : members)
    if (world.on_node(r)) node_members.push_back(r);
  if (members.front() == world.me()) mine.id = world.next_id_of_my_own();
  if (node_members.front() == world.me())
    mine.offer = sessions::make_block(world, node_members.size(), members.size());
  std::vector<made> all(members.size());
  const status gathered = allgather(&mine, sizeof mine, all.data());
  if (!gathered.ok()) {
    // Other ranks may have received the block's address, so it is not released.
    sessions::collective_failed(world, gathered.code(), "making a team in a job");
  }
  std::vector<sessions::block_offer> offers;
  offers.reserve(all.size());
  for (const made& m : all) offers.push_back(m.offer);
  return sessions::join(world, members, node_members, offers, all.front().id,
                        "making a team in a job");
}

}  // namespace oriel
