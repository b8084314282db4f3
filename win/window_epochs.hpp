// The epochs of one window, as one process holds them, and the protocols that they go by, as far as
// the promises need them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "session/team/leader_exchange.hpp"
#include "sync/barrier.hpp"
#include "sync/pscw.hpp"
#include "win/check/promise_notes.hpp"
#include "win/epoch_state.hpp"

namespace oriel::win {

struct window_epochs {
  int world_me = 0;                                  // this rank in the session's world
  const sync::peer_watch* watch = nullptr;           // gives up when a member of the team has gone
  epoch_state passive;                               // locks
  std::optional<sync::node_barrier> barrier;         // of this node's ranks
  std::optional<sessions::leader_exchange> between;  // of the nodes, on the rank that leads
  std::optional<sync::pscw> pscw;
  std::vector<rank> started;    // the targets of the open access epoch (start)
  rank only_origin = any_rank;  // of the exposure, where it has one
  std::atomic<bool> fence_open{false};
  std::atomic<std::uint32_t> fences{0};
  // One bit a rank of this node for which letters went by the last fence, that may still carry them
  // out. Ranks of windows whose owners serve, up to node_barrier::widest_flat.
  std::atomic<std::uint32_t> letters_of_fence{0};
  // Of the first fence at which the ranks did not meet: after it they are out of step for good.
  std::atomic<errc> fences_failed{errc::success};
  // ORIEL_CHECK: one bit for each of the atomics' places (check/order_places.hpp) at some target
  // from which this process has fetched.
  std::atomic<std::uint32_t> fetched_at{0};
  promise_notes promises;  // likewise
};

}  // namespace oriel::win
