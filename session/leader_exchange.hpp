// Collectives among one rank of each node, in steps that double the distance: O(log nodes) messages
// a rank (dissemination: Hensgen, Finkel and Manber, 1988).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "session/collectives.hpp"
#include "session/mesh.hpp"

namespace oriel::boot {

class leader_exchange {
 public:
  // `leaders`: world ranks, the same list everywhere; `me`: this rank's place in it. `group` is the
  // mesh's name for this exchange, used by no other. One thread at a time.
  leader_exchange(mesh& way, std::uint64_t group, std::vector<int> leaders, int me,
                  const peer_watch& watch)
      : mesh_(&way), group_(group), leaders_(std::move(leaders)), me_(me), watch_(&watch) {}

  errc barrier() noexcept;
  // Leader i's block, of sizes[i] bytes, becomes part i of everyone's `all`. no_mem, everywhere,
  // when some leader has no memory for it, or has given no block (null; `sizes` may be empty then).
  errc allgather(const std::byte* mine, std::span<const std::size_t> sizes,
                 std::vector<std::vector<std::byte>>& all) noexcept;
  using merge_function = collectives::merge_function;
  errc combine(void* value, std::size_t bytes, merge_function merge) noexcept;
  errc broadcast(void* data, std::size_t bytes, int root) noexcept;
  // The place of the leader that a failed call waited for.
  [[nodiscard]] int awaited() const noexcept { return awaited_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(leaders_.size()); }

 private:
  [[nodiscard]] int leader(int i) const noexcept { return leaders_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] mesh_tag tag(int round) const noexcept {
    return {group_, turn_, static_cast<std::uint32_t>(round)};
  }

  mesh* mesh_;
  std::uint64_t group_;
  std::vector<int> leaders_;
  int me_;
  const peer_watch* watch_;
  std::uint32_t turn_ = 0;
  int awaited_ = 0;
};

}  // namespace oriel::boot
