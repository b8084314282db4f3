// The collectives of a team that spans nodes: within each node through shared memory, between them
// by the lowest rank of each. All collectives take the same three steps, so that ranks which have
// called different ones meet all the same: the ranks of a node publish their calls, the leaders
// exchange them, each leader publishes the outcome on its node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "session/team/collectives.hpp"
#include "session/team/leader_exchange.hpp"
#include "session/team/placement.hpp"

namespace oriel::sessions {

class wide_collectives final : public collectives {
 public:
  // `node`: of this node's ranks. `between`: of the nodes' lowest ranks; null on the others.
  wide_collectives(const placement& where, int me, std::unique_ptr<node_collectives> node,
                   std::unique_ptr<leader_exchange> between)
      : where_(&where), me_(me), node_(std::move(node)), between_(std::move(between)) {}

  errc barrier(const collective_call&) noexcept override;
  errc allgather(const collective_call&, const void* mine, std::size_t bytes,
                 void* all) noexcept override;
  errc broadcast(const collective_call&, void* data, std::size_t bytes, int root) noexcept override;
  errc combine(const collective_call&, void* value, std::size_t bytes,
               merge_function) noexcept override;
  [[nodiscard]] int awaited() const noexcept override { return awaited_; }
  [[nodiscard]] absentees absent() const noexcept override;
  [[nodiscard]] node_collectives& node() noexcept { return *node_; }

 private:
  // The ranks of this node.
  [[nodiscard]] std::span<const int> my_node() const noexcept;
  // After the node's own step, which has come to `on_node`: lead() is the leader's exchange.
  template <class Lead>
  errc between_nodes(errc on_node, Lead lead) noexcept;
  // Publishes the outcome of the leader's part to the other ranks of the node.
  errc agree_on_node(errc mine) noexcept;
  // The leader's part: the blocks of all nodes, of which this one's is `of_node`, split by rank.
  errc exchange(const collective_call&, const std::vector<std::byte>& of_node, std::size_t bytes,
                std::byte* all) noexcept;

  const placement* where_;
  int me_;
  int awaited_ = -1;
  bool is_between_nodes_ = false;  // the leader, in its exchange
  std::unique_ptr<node_collectives> node_;
  std::unique_ptr<leader_exchange> between_;
};

}  // namespace oriel::sessions
