// queue<T>: queues over the memory of every rank of a team, a bounded one on each, to and from
// which all of them push and pop with one-sided operations.
//
//   queue<range> ranges(world, 10'000);               // room on each rank
//   ranges.push_only().push(mine).outcome.or_throw(); // spans, shared out among ranks; collective
//   {
//     auto p = ranges.mixed();                        // collective
//     while (p.pop(r).count == 1)                     // own part first, then the others'
//       if (work(r)) p.push(rank{0}, rest(r)).outcome.or_throw();
//   }                                                 // collective: complete
//
// Elements are trivially copyable. A part is full when it has as many as construction was given,
// and full and empty are no failures: operations return how many elements they have moved. An
// element that is popped is popped by one call of one rank. On a node operations are instructions;
// to other nodes a batch is a few messages, however long it is.
//
// Phases are opened and ended by all ranks together. An operation that the phase lacks does not
// compile; one on a phase that has ended returns errc::rma_sync. Order: a part is first in, first
// out, and a batch's elements come in its order.
//   push_only, pop_only  all work at one end. A sum on its counter claims positions for a batch,
//                        whose elements follow one another. Nothing waits for another rank.
//   mixed                pushes and pops of one part are linearizable: each takes effect at one
//                        moment between its call and its return, and so do those of a batch, each
//                        by itself, in order: another rank's may come between them. `full` and
//                        `empty` were so at such a moment. Of several parts nothing is promised: a
//                        pop from all ranks that returns nothing has found each empty, one after
//                        the other. An operation may wait for one that has claimed a slot and not
//                        finished with it; timed_out, after some 5 s, where a rank died there. What
//                        was in the slot is lost.
// An operation that fails amid a batch to other nodes may have claimed positions all the same:
// their elements are lost, and pops may return what was there before.
//
// Throws: construction, opening a phase, clear and size throw `error`, as does everything on a
// queue that has been moved from, errc::win; operations are noexcept.
// Returns, of operations: rank for a rank that the team does not have, timed_out, rma_sync, and
// those of the window for ranks of other nodes, peer_failed say. or_throw() has the text; failure()
// that of the first failure on this rank.
// Threads. Any thread may work in a phase at thread_level::multiple; all else is for one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "oriel/detail/container_state.hpp"
#include "oriel/queue/phase.hpp"

namespace oriel {

template <class T>
class queue {
  static_assert(std::is_trivially_copyable_v<T>, "elements of a queue are moved as bytes");

 public:
  using value_type = T;
  template <queue_phase_kind P>
  using phase = queue_phase<T, P>;

  // Makes empty parts with room for `capacity` elements each. Collective. Requires: all ranks give
  // the same. Throws arg for a capacity of 0, or of more than 8 TiB; mismatched_assertions where
  // the ranks differ; what construction of a window throws.
  queue(const team& members, std::uint64_t capacity, const queue_options& options = {})
      : state_(std::make_unique<detail::queue_state<T>>(members, capacity, options)) {}

  // Open a phase. Collective. Block until every rank has called it. Throw rma_sync, on every rank,
  // where the ranks open different ones or one is open; what team::allreduce throws.
  phase<queue_phase_kind::push_only> push_only() {
    return phase<queue_phase_kind::push_only>(*state_);
  }
  phase<queue_phase_kind::pop_only> pop_only() {
    return phase<queue_phase_kind::pop_only>(*state_);
  }
  // Writes a mark of 8 bytes for each slot of this rank first.
  phase<queue_phase_kind::mixed> mixed() { return phase<queue_phase_kind::mixed>(*state_); }

  // Removes every element. Collective; blocks until every rank has called it. Throws rma_sync in a
  // phase, on every rank; what team::barrier returns.
  void clear() { state_->clear(); }
  // Returns the number of elements of all ranks. Collective. Throws rma_sync in a phase, on every
  // rank; what team::allreduce throws.
  [[nodiscard]] std::uint64_t size() const { return state_->size(); }

  // Returns the room of each rank's part.
  [[nodiscard]] std::uint64_t capacity_per_rank() const { return state_->layout().capacity; }
  [[nodiscard]] team members() const { return state_->members(); }
  // Returns the text of the first failure on this rank; empty when nothing has failed.
  [[nodiscard]] std::string failure() const { return state_->failure(); }
  // Return any_window::explain and statistics of the queue's window.
  [[nodiscard]] std::string explain() const { return state_->window().explain(); }
  [[nodiscard]] window_statistics statistics() const { return state_->window().statistics(); }

 private:
  detail::container_state<detail::queue_state<T>> state_;
};

}  // namespace oriel
