// Phases of a queue and the operations in them: see queue.hpp.
#pragma once

#include <span>

#include "oriel/phase_handle.hpp"
#include "oriel/queue/state.hpp"

namespace oriel {

template <queue_phase_kind P>
concept pushing_phase = P != queue_phase_kind::pop_only;
template <queue_phase_kind P>
concept popping_phase = P != queue_phase_kind::push_only;

// A phase, as one rank has it open. Requires: it ends before its queue is destroyed.
template <class T, queue_phase_kind P>
class [[nodiscard]] queue_phase : public phase_handle<detail::queue_state<T>> {
  using handle = phase_handle<detail::queue_state<T>>;
  using handle::state_;
  static constexpr bool mixed = P == queue_phase_kind::mixed;
  static constexpr auto head = detail::queue_end::head;
  static constexpr auto tail = detail::queue_end::tail;

 public:
  // Each returns how many elements it has pushed or popped, those at the beginning of the span: all
  // of them, or fewer where there was no room for more, or were no more. And the first failure.
  //
  // Pushes to the part of rank `to`, in the order of the span. Spans reusable on return. Complete
  // at the owner: when the phase ends; in a mixed phase on return.
  bulk_result push(rank to, std::span<const T> values) noexcept requires pushing_phase<P> {
    return state_ == nullptr ? ended() : state_->moves().template move_at<tail, mixed>(to, values);
  }
  bulk_result push(rank to, const T& value) noexcept requires pushing_phase<P> {
    return push(to, std::span(&value, 1));
  }
  // Shares them out among all ranks, 64 at a time, evenly, and what some have no room for among the
  // others.
  bulk_result push(std::span<const T> values) noexcept requires pushing_phase<P> {
    return state_ == nullptr ? ended()
                             : state_->moves().template move_anywhere<tail, mixed>(values);
  }
  bulk_result push(const T& value) noexcept requires pushing_phase<P> {
    return push(std::span(&value, 1));
  }

  // Pops from the part of rank `from`, in its order. Elements of `values` behind the popped ones
  // stay as they are.
  bulk_result pop(rank from, std::span<T> values) noexcept requires popping_phase<P> {
    return state_ == nullptr ? ended()
                             : state_->moves().template move_at<head, mixed>(from, values);
  }
  bulk_result pop(rank from, T& value) noexcept requires popping_phase<P> {
    return pop(from, std::span(&value, 1));
  }
  // From this rank's part, and then from those of the others.
  bulk_result pop(std::span<T> values) noexcept requires popping_phase<P> {
    return state_ == nullptr ? ended()
                             : state_->moves().template move_anywhere<head, mixed>(values);
  }
  bulk_result pop(T& value) noexcept requires popping_phase<P> { return pop(std::span(&value, 1)); }

  // For queue.
  explicit queue_phase(detail::queue_state<T>& s) : handle(s, P) {}

 private:
  [[gnu::cold]] static bulk_result ended() noexcept { return {0, handle::refused("queue")}; }
};

}  // namespace oriel
