// ORIEL_CHECK: what this rank does to memory of other nodes. The logs of the ranks there, and where
// synchronization leaves what comes before it, are in the memory of their node: a rank of it is
// asked to note, to compare, and to tell of them (far_access.hpp).
//
// What takes no effect, since the other node has died or does not answer, is left out: accesses
// count as ordered then. Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oriel/rank.hpp"
#include "win/check/far_access.hpp"
#include "win/route/remote_call.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

class far_checks {
 public:
  // Throws std::bad_alloc.
  explicit far_checks(detail::window_core&);

  // Notes what the operation `made` does to each of the runs, of at least one byte, and tells of it
  // at the target's places `tells_at` for atomic operations. Returns what conflicts with it: then
  // nothing is noted of that run and those that follow.
  struct finding {
    note_answer::what found;
    far_run run;
    shadow_access other;
  };
  std::optional<finding> note(rank target, const shadow_access& made, std::span<const far_run> runs,
                              bool compares_operations, std::uint32_t tells_at) noexcept;

  // What this rank has done at `r`, on another node, or at all ranks of other nodes, is complete.
  void complete(rank r, completion_request::which, sessions::moment now) noexcept;
  // That which has those bytes is.
  void complete_alike(rank r, access_kind, completed_access, sessions::moment now) noexcept;

  // Places of order (order_places.hpp), by their numbers on the node of `r`. Where nothing is
  // heard, everything counts as known.
  void tell(rank r, const order_request&) noexcept;
  void learn(rank r, const order_request&) noexcept;

  // Calls `work` with one rank of each other node that is alive.
  template <class Work>
  void with_other_nodes(Work work) noexcept {
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node)
      if (const rank r = some_rank_on(node); r != any_rank) work(r);
  }
  // How many ranks of the window are on the node of `r`.
  [[nodiscard]] std::uint32_t ranks_beside(rank r) const noexcept;

 private:
  struct node_state {
    std::atomic<bool> has_noted{false};  // what is not known to be complete
    std::atomic<bool> is_silent{false};  // it has not answered in time
  };

  // any_rank for this node, and where none is left.
  [[nodiscard]] rank some_rank_on(int node) const noexcept;
  [[nodiscard]] node_state& state_of(rank r) noexcept;
  template <class Body>
  errc ask(rank r, remote_call, const Body&, std::span<const std::byte> payload, void* answer,
           std::size_t bytes) noexcept;
  void heard(rank r, std::uint64_t asked, std::uint64_t theirs) noexcept;
  std::optional<finding> note_some(rank target, const shadow_access& made,
                                   std::span<const far_run> runs, note_request,
                                   std::span<std::byte> room) noexcept;
  void complete_at(rank r, const completion_request&, completed_access) noexcept;

  detail::window_core& core_;
  std::vector<node_state> nodes_;  // as the team numbers them
};

}  // namespace oriel::win
