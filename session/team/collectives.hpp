// The collectives of a team, by where its ranks are. One thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "oriel/errc.hpp"
#include "session/node/node_memory.hpp"
#include "session/team/collective_call.hpp"
#include "sync/barrier.hpp"
#include "sync/published_result.hpp"

namespace oriel::sessions {

// A rank that has no memory for its part takes part none the less, so that no rank waits for it.
// Where others need what it cannot hold, all ranks fail alike, with no_mem, and stay in step.
//
// Each rank publishes which collective it calls, with as many bytes as all others. When all have
// arrived and their calls differ, all fail with mismatched_collective; where one has died before,
// with peer_failed. An object that has failed so, or with anything but no_mem, must not be used
// again.
class collectives {
 public:
  // Longest value that combine() takes.
  static constexpr std::size_t longest_value = 1024;
  // merge(into, from), over all values in any order; it must not matter how often one is merged
  // (min, max, and, or), so that the steps of a barrier suffice.
  using merge_function = void (*)(void* into, const void* from);

  virtual ~collectives() = default;
  virtual errc barrier(const collective_call&) noexcept = 0;
  // `all` holds `bytes` of each rank, in rank order; null: this rank has no memory for it.
  virtual errc allgather(const collective_call&, const void* mine, std::size_t bytes,
                         void* all) noexcept = 0;
  // `data` may be null on ranks that receive: they have no memory for it.
  virtual errc broadcast(const collective_call&, void* data, std::size_t bytes,
                         int root) noexcept = 0;
  // Merges one value of each rank into that of every rank. Takes no memory.
  virtual errc combine(const collective_call&, void* value, std::size_t bytes,
                       merge_function merge) noexcept = 0;

  // After mismatched_collective: the calls, by rank of the team.
  [[nodiscard]] const different_calls& found() const noexcept { return found_; }
  // After timed_out: a rank that has not come; -1 where that is not known.
  [[nodiscard]] virtual int awaited() const noexcept = 0;
  // While this rank waits in one: who has not come, as far as it sees.
  struct absentees {
    int first = -1;  // a rank of the team; below 0 where none is known
    int more = 0;    // besides
  };
  [[nodiscard]] virtual absentees absent() const noexcept = 0;

 protected:
  different_calls found_;
};

// All ranks on one node: through a block of node memory, two slots a rank in turn, so that each KiB
// costs one barrier.
class node_collectives final : public collectives {
 public:
  static constexpr std::size_t slot_bytes = longest_value;
  static std::size_t bytes(int ranks) noexcept;
  static constexpr std::size_t alignment = 128;  // of the block: the barrier's lines want it

  // Takes part in `block`, which the last of the ranks to leave gives back. `members`: the ranks'
  // places in the node's memory.
  node_collectives(node_memory& memory, std::uint64_t block, int me, std::vector<int> members,
                   const sync::peer_watch& peers);
  ~node_collectives() override;

  errc barrier(const collective_call&) noexcept override;
  errc allgather(const collective_call&, const void* mine, std::size_t bytes,
                 void* all) noexcept override;
  errc broadcast(const collective_call&, void* data, std::size_t bytes, int root) noexcept override;
  errc combine(const collective_call&, void* value, std::size_t bytes,
               merge_function merge) noexcept override;
  [[nodiscard]] int awaited() const noexcept override { return absent().first; }
  [[nodiscard]] absentees absent() const noexcept override;

  // This rank leaves without having joined; the others fail where they wait.
  void stay_out() noexcept { staying_out_ = true; }
  [[nodiscard]] bool stays_out(int r) const noexcept;
  [[nodiscard]] bool any_stays_out() const noexcept;

  // Returns what rank `r` has published for the others.
  [[nodiscard]] sync::published_result& made_by(int r) const noexcept;

 private:
  // Each rank's call, which the others read only after a mismatch, and how many it has made.
  struct alignas(64) record {
    collective_call call[2];
    std::atomic<std::uint32_t> calls;
  };
  [[nodiscard]] record& called_by(int r) const noexcept;
  [[nodiscard]] std::byte* slot(int r) const noexcept;
  errc meet(const collective_call&) noexcept;
  errc find_difference() noexcept;

  node_memory* memory_;
  std::uint64_t block_;
  int me_;
  std::vector<int> members_;
  int ranks_;
  sync::node_barrier barrier_;
  bool staying_out_ = false;
  // Which slot and record of two: a rank may begin a step, after a mismatch too, while others still
  // read those of the last.
  int turn_ = 0;
  std::uint32_t calls_ = 0;
};

}  // namespace oriel::sessions
