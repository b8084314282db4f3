// The memory of a window as loops on the host access it: what `window.view()` returns. A loop holds
// it by value, with its table in a register, and finds a rank's memory by one load. The fewer
// instructions an access takes, the more accesses to random elements a processor has under way.
#pragma once

#include <type_traits>
#include <utility>

#include "oriel/detail/cpu_atomic.hpp"
#include "oriel/detail/window_view.hpp"
#include "oriel/rank.hpp"

namespace oriel {

// Requires: the window outlives it, and is not moved to another. Operations are those of the window
// of the same names: they need the same epochs, and nothing is checked here (ORIEL_CHECK=1 sees
// none of them).
//
// Threads: as the window's. Copies are cheap.
template <class T, assertion_set A>
class host_view {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  host_view(const detail::window_view& of, std::byte* const* bases) noexcept
      : bases_(bases), seen_(&of) {
    if constexpr (detail::may_be_long(A)) gates_ = of.gates;
  }

  // The address of element `i` of rank `r`, and of those behind it.
  [[nodiscard]] T* at(rank r, disp i) const noexcept {
    return reinterpret_cast<T*>(bases_[r.value]) + i.value;
  }
  void put(rank r, disp i, const T& value) const noexcept { detail::cpu_store(at(r, i), value); }
  [[nodiscard]] T get(rank r, disp i) const noexcept {
    return detail::cpu_load(static_cast<const T*>(at(r, i)));
  }
  // Has the element fetched, so that an access that follows soon need not wait for it.
  void prefetch(rank r, disp i) const noexcept { __builtin_prefetch(at(r, i), 1); }

  template <atomic_op Op>
  void accumulate(rank r, disp i,
                  const T& operand) const noexcept requires detail::cpu_atomic_inline<T> {
    T* const there = at(r, i);
    if (!passes(r, [&] { detail::cpu_op<Op>(there, operand); })) [[unlikely]]
      seen_->ops->accumulate(*seen_->core, Op, r, i, &operand, call_site::here());
  }
  void add(rank r, disp i, const T& operand) const noexcept requires detail::cpu_atomic_inline<T> {
    accumulate<atomic_op::sum>(r, i, operand);
  }
  template <atomic_op Op>
  T fetch_op(rank r, disp i,
             const T& operand) const noexcept requires detail::cpu_atomic_inline<T> {
    T* const there = at(r, i);
    T before{};
    if (!passes(r, [&] { before = detail::cpu_fetch_op<Op>(there, operand); })) [[unlikely]]
      seen_->ops->fetch_op(*seen_->core, Op, r, i, &operand, &before, call_site::here());
    return before;
  }
  T fetch_add(rank r, disp i,
              const T& operand) const noexcept requires detail::cpu_atomic_inline<T> {
    return fetch_op<atomic_op::sum>(r, i, operand);
  }
  T compare_swap(rank r, disp i, const T& expected,
                 const T& desired) const noexcept requires detail::cpu_atomic_inline<T> {
    T* const there = at(r, i);
    T before{};
    if (!passes(r, [&] { before = detail::cpu_compare_swap(there, expected, desired); }))
        [[unlikely]]
      seen_->ops->compare_swap(*seen_->core, r, i, &expected, &desired, &before, call_site::here());
    return before;
  }

 private:
  // False where a long accumulate may have the memory to itself.
  template <class Step>
  [[gnu::always_inline]] bool passes(rank r, Step step) const noexcept {
    if constexpr (detail::may_be_long(A))
      return detail::pass(gates_, static_cast<std::uint32_t>(r.value), step);
    step();
    return true;
  }

  struct no_gates {};
  std::byte* const* bases_;          // by rank
  const detail::window_view* seen_;  // where an operation needs the operation table
  [[no_unique_address]] std::conditional_t<detail::may_be_long(A), detail::window_gates, no_gates>
      gates_;
};

}  // namespace oriel
