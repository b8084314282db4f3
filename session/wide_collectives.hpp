// The collectives of a team that spans nodes: within each node through shared memory, between them
// by the lowest rank of each.
#pragma once

#include <memory>
#include <vector>

#include "session/collectives.hpp"
#include "session/leader_exchange.hpp"

namespace oriel::boot {

// Which ranks of a team share a node. Ranks are the team's.
struct node_split {
  std::vector<int> node_of;             // by rank: which of `nodes`
  std::vector<int> place;               // by rank: among the ranks of its node
  std::vector<std::vector<int>> nodes;  // by node, in the order of their lowest ranks
};

class wide_collectives final : public collectives {
 public:
  // `near`: of this node's ranks. `between`: of the nodes' lowest ranks; null on the others.
  wide_collectives(const node_split& split, int me, std::unique_ptr<node_collectives> near,
                   std::unique_ptr<leader_exchange> between)
      : split_(&split), me_(me), near_(std::move(near)), between_(std::move(between)) {}

  errc barrier() noexcept override;
  errc allgather(const void* mine, std::size_t bytes, void* all) noexcept override;
  errc broadcast(void* data, std::size_t bytes, int root) noexcept override;
  errc combine(void* value, std::size_t bytes, merge_function) noexcept override;
  [[nodiscard]] node_collectives& near() noexcept { return *near_; }

 private:
  // The ranks of this node.
  [[nodiscard]] const std::vector<int>& my_node() const noexcept;
  // What the leader's part has come to, told to the other ranks of the node.
  errc agree_on_node(errc mine) noexcept;
  // The leader's part: the blocks of all nodes, of whom this one's is `of_node`, taken apart by
  // rank.
  errc exchange(const std::vector<std::byte>& of_node, std::size_t bytes, std::byte* all) noexcept;

  const node_split* split_;
  int me_;
  std::unique_ptr<node_collectives> near_;
  std::unique_ptr<leader_exchange> between_;
};

}  // namespace oriel::boot
