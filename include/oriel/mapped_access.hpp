// Where the inlined operations of `window<T, A>` find elements that this process loads and stores.
#pragma once

#include <utility>

#include "oriel/detail/cpu_atomic.hpp"
#include "oriel/detail/window_view.hpp"
#include "oriel/synchronization.hpp"

namespace oriel {

template <class T, assertion_set A>
class mapped_access : public synchronization<A> {
 protected:
  using synchronization<A>::seen;
  static constexpr bool fixed = A != at_run_time;
  template <atomic_op Op>
  static constexpr bool inlined = fixed&& detail::cpu_atomic_inline<T>&& defined(Op,
                                                                                 primitive_of<T>());

  mapped_access() noexcept = default;
  explicit mapped_access(any_window&& any) noexcept : synchronization<A>(std::move(any)) {}

  // Null where the access needs the operation table.
  [[nodiscard]] T* data(rank r, disp i) const noexcept {
    return detail::reach<T, A>(seen(), seen().segments, r, i);
  }
  [[nodiscard]] T* run(rank r, disp i) const noexcept {
    return detail::reach<T, A, true>(seen(), seen().runs, r, i);
  }
  [[nodiscard]] T* atomic(rank r, disp i) const noexcept {
    return detail::reach<T, A>(seen(), seen().atomics, r, i);
  }
  // Whether no other thread accesses the target in an epoch: only exclusive locks open any, and no
  // two threads of this process are in oriel at once.
  [[nodiscard]] bool alone() const noexcept {
    return detail::exclusive_only(A) && seen().one_thread;
  }
  // Performs `step`, of atomic instructions on the memory of rank `r`, and returns true; false
  // where the window's function must: a long accumulate may have that memory to itself.
  template <class Step>
  [[gnu::always_inline]] bool passes(rank r, Step step) const noexcept {
    if constexpr (detail::may_be_long(A))
      return detail::pass(seen().gates, static_cast<std::uint32_t>(r.value), step);
    step();
    return true;
  }
  // Perform the operation by instructions, or return false.
  template <atomic_op Op>
  [[gnu::always_inline]] bool accumulates(rank r, disp i, const T& operand) const noexcept {
    if constexpr (inlined<Op>) {
      if (T* const there = atomic(r, i)) [[likely]] {
        if (alone()) {
          detail::plain_op<Op>(there, operand);
          return true;
        }
        return passes(r, [&] { detail::cpu_op<Op>(there, operand); });
      }
    }
    return false;
  }
  template <atomic_op Op>
  [[gnu::always_inline]] bool fetches(rank r, disp i, const T& operand, T& before) const noexcept {
    if constexpr (inlined<Op>) {
      if (T* const there = atomic(r, i)) [[likely]] {
        if (alone()) {
          before = detail::plain_fetch_op<Op>(there, operand);
          return true;
        }
        return passes(r, [&] { before = detail::cpu_fetch_op<Op>(there, operand); });
      }
    }
    return false;
  }
  [[gnu::always_inline]] bool swaps(rank r, disp i, const T& expected, const T& desired,
                                    T& before) const noexcept {
    if constexpr (detail::cpu_atomic_inline<T>) {
      if (T* const there = atomic(r, i)) [[likely]]
        return passes(r, [&] { before = detail::cpu_compare_swap(there, expected, desired); });
    }
    return false;
  }
};

}  // namespace oriel
