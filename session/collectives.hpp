// The collectives of a team, by where its ranks are. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "oriel/errc.hpp"
#include "session/barrier.hpp"
#include "session/handout.hpp"
#include "session/node_memory.hpp"
#include "session/survivors.hpp"

namespace oriel::boot {

class collectives {
 public:
  virtual ~collectives() = default;
  virtual errc barrier() noexcept = 0;
  // `all` holds `bytes` of each rank, in rank order.
  virtual errc allgather(const void* mine, std::size_t bytes, void* all) noexcept = 0;
  virtual errc broadcast(void* data, std::size_t bytes, int root) noexcept = 0;
};

// All ranks on one node: through a block of node memory, two slots a rank in turn, so that each KiB
// costs one barrier.
class node_collectives final : public collectives {
 public:
  static constexpr std::size_t slot_bytes = 1024;
  static std::size_t bytes(int ranks) noexcept;
  static constexpr std::size_t alignment = 128;  // of the block: the barrier's lines want it

  // Takes part in `block`, which the last of the ranks to leave gives back. `members`: the ranks'
  // places in the node's memory.
  node_collectives(node_memory& memory, std::uint64_t block, int me, std::vector<int> members,
                   const peer_watch& peers);
  ~node_collectives() override;

  errc barrier() noexcept override { return barrier_.arrive_and_wait(); }
  errc allgather(const void* mine, std::size_t bytes, void* all) noexcept override;
  errc broadcast(void* data, std::size_t bytes, int root) noexcept override;

  // What rank `r` has made for the others.
  [[nodiscard]] handout& made_by(int r) const noexcept;
  [[nodiscard]] node_survivors survivors() const noexcept;

 private:
  [[nodiscard]] std::byte* slot(int r) const noexcept;

  node_memory* memory_;
  std::uint64_t block_;
  int me_;
  std::vector<int> members_;
  int ranks_;
  node_barrier barrier_;
  int parity_ = 0;
};

}  // namespace oriel::boot
