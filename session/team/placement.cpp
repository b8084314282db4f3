#include "session/team/placement.hpp"

#include <unordered_map>
#include <vector>

#include "session/node/written_alike.hpp"

namespace oriel::sessions {

std::size_t placement::bytes(int ranks, int nodes) noexcept {
  return (4 * index(ranks) + index(nodes) + 1) * sizeof(int);
}

placement::placement(std::byte* block, std::span<const int> world_ranks,
                     std::span<const int> names_of_nodes) {
  const std::size_t n = world_ranks.size();
  auto* next = reinterpret_cast<int*>(block);
  const auto part = [&next](std::size_t length) {
    const std::span<int> taken(next, length);
    next += length;
    return taken;
  };
  const auto world = part(n), node_of = part(n), node_rank = part(n), by_node = part(n);

  std::unordered_map<int, int> numbers;
  std::vector<int> populations;
  for (std::size_t r = 0; r < n; ++r) {
    const int node =
        numbers.try_emplace(names_of_nodes[r], static_cast<int>(numbers.size())).first->second;
    if (index(node) == populations.size()) populations.push_back(0);
    write_alike(world[r], world_ranks[r]);
    write_alike(node_of[r], node);
    write_alike(node_rank[r], populations[index(node)]++);
  }
  const auto first_on = part(populations.size() + 1);
  int before = 0;
  for (std::size_t node = 0; node < populations.size(); ++node) {
    write_alike(first_on[node], before);
    before += populations[node];
  }
  write_alike(first_on[populations.size()], before);
  for (std::size_t r = 0; r < n; ++r)
    write_alike(by_node[index(first_on[index(node_of[r])] + node_rank[r])], static_cast<int>(r));

  nodes_ = static_cast<int>(populations.size());
  world_ranks_ = world;
  node_of_ = node_of;
  node_rank_ = node_rank;
  by_node_ = by_node;
  first_on_ = first_on;
}

}  // namespace oriel::sessions
