// Where the ranks of a team run: of each its number in the job, its node, and its place among the
// ranks of that node; of each node its ranks. One copy a node, in the node's memory, since it grows
// with the team.
//
// Every rank of a node writes all of it, and all write the same values: none has to wait for
// another, which may have died.
#pragma once

#include <cstddef>
#include <span>

namespace oriel::sessions {

class placement {
 public:
  // For so many ranks on so many nodes, or fewer of either. Alignment: that of int.
  static std::size_t bytes(int ranks, int nodes) noexcept;

  // Of no ranks.
  placement() = default;
  // Writes it to `block`, zeroed memory of bytes() or what another rank has written there for the
  // same team. By rank of the team: `world_ranks`, and any number that is the node's in
  // `names_of_nodes`.
  placement(std::byte* block, std::span<const int> world_ranks,
            std::span<const int> names_of_nodes);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(world_ranks_.size()); }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::span<const int> world_ranks() const noexcept { return world_ranks_; }
  [[nodiscard]] int world_rank(int r) const noexcept { return world_ranks_[index(r)]; }
  // Nodes are numbered as their lowest ranks are.
  [[nodiscard]] std::span<const int> node_of() const noexcept { return node_of_; }
  [[nodiscard]] int node_of(int r) const noexcept { return node_of_[index(r)]; }
  // Among the ranks of its node.
  [[nodiscard]] int node_rank(int r) const noexcept { return node_rank_[index(r)]; }
  // The ranks of a node, ascending.
  [[nodiscard]] std::span<const int> ranks_on(int node) const noexcept {
    const auto first = static_cast<std::size_t>(first_on_[index(node)]);
    return by_node_.subspan(first, static_cast<std::size_t>(first_on_[index(node) + 1]) - first);
  }
  // The ranks in the order of their nodes, so that those of a node follow each other.
  [[nodiscard]] int at_place(int place) const noexcept { return by_node_[index(place)]; }
  [[nodiscard]] int place_of(int r) const noexcept {
    return first_on_[index(node_of(r))] + node_rank(r);
  }

 private:
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

  int nodes_ = 0;
  std::span<const int> world_ranks_;
  std::span<const int> node_of_;
  std::span<const int> node_rank_;
  std::span<const int> by_node_;   // ranks, those of a node together
  std::span<const int> first_on_;  // by node: where its ranks begin there; one more at the end
};

}  // namespace oriel::sessions
