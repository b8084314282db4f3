#include "session/team_state.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>

namespace oriel::detail {
namespace {

boot::node_split split_by_node(const boot::job& job, const std::vector<int>& world_ranks) {
  boot::node_split split;
  std::map<int, int> numbered;
  for (const int r : world_ranks) {
    const auto [known, is_new] =
        numbered.emplace(job.node_of(r), static_cast<int>(split.nodes.size()));
    if (is_new) split.nodes.emplace_back();
    std::vector<int>& node = split.nodes[static_cast<std::size_t>(known->second)];
    split.place.push_back(static_cast<int>(node.size()));
    node.push_back(static_cast<int>(split.node_of.size()));
    split.node_of.push_back(known->second);
  }
  return split;
}

// splitmix64: names that differ stay apart.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

team_state::team_state(std::shared_ptr<session_state> session, std::vector<int> world_ranks, int me,
                       std::uint64_t block, std::uint64_t id)
    : session_(std::move(session)),
      ranks_(std::move(world_ranks)),
      me_(me),
      id_(mix(id, static_cast<std::uint64_t>(ranks_.front()))),
      split_(split_by_node(session_->job(), ranks_)),
      watch_(session_->job(), ranks_),
      hints_(std::make_shared<const info>(session_->hints())) {
  std::vector<int> members;
  for (const int r : near()) members.push_back(session_->job().place_on_node(world_rank(r)));
  auto near_part = std::make_unique<boot::node_collectives>(session_->memory(), block, place(me_),
                                                            std::move(members), watch_);
  near_collectives_ = near_part.get();
  if (all_on_node()) {
    collectives_ = std::move(near_part);
    return;
  }
  std::unique_ptr<boot::leader_exchange> between;
  if (leads())
    between = std::make_unique<boot::leader_exchange>(*session_->job().way(), id_, leaders(),
                                                      node_of(me_), watch_);
  auto wide = std::make_unique<boot::wide_collectives>(split_, me_, std::move(near_part),
                                                       std::move(between));
  collectives_ = std::move(wide);
}

std::vector<int> team_state::leaders() const {
  std::vector<int> world;
  for (const std::vector<int>& node : split_.nodes) world.push_back(world_rank(node.front()));
  return world;
}

std::uint64_t team_state::next_id() noexcept {
  return mix(id_, ++made_);
}

std::uint64_t team_state::next_id_of_my_own() noexcept {
  return mix(~id_, static_cast<std::uint64_t>(me_ + 1) << 32 | ++led_);
}

std::uint64_t team_state::id_of_next_shrink() const noexcept {
  return mix(~id_, shrinks_ + 1);
}

errc team_state::collect(int r, std::uint64_t id, boot::handout::content& made) {
  const boot::rank_watch maker(session_->job(), world_rank(r));
  return near_collectives_->made_by(place(r)).collect(id, maker, made);
}

std::string team_state::gone() const {
  // A connection that breaks is noticed sooner than the death that broke it is confirmed.
  constexpr std::chrono::milliseconds at_most =
      boot::liveness::settings{}.grace + std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    std::string list;
    for (int r = 0; r < size(); ++r)
      if (!session_->job().alive(world_rank(r)))
        list += (list.empty() ? "rank " : ", rank ") + std::to_string(r);
    if (session_->job().estranged()) list += ", which " + session_->job().estrangement_in_words();
    if (!list.empty() || std::chrono::steady_clock::now() > until) return list;
    static_cast<void>(watch_.any_failed());
    std::this_thread::sleep_for(boot::wait_ladder::shortest_sleep);
  }
}

}  // namespace oriel::detail
