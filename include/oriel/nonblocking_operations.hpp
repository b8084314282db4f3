// Operations on one element that return before their result is there (extension; named _nbi, as in
// OpenSHMEM). Part of `window<T, A>`.
#pragma once

#include "oriel/list_operations.hpp"

namespace oriel {

// Result usable after flush_local, or the end of the epoch. Of memory that is mapped here it is
// there on return, by the same instructions as without _nbi, and of all ranks of this node in
// windows that do not gather (window_options::aggregate). Operands are reusable on return.
template <class T, assertion_set A>
class nonblocking_operations : public list_operations<T, A> {
 public:
  // Requires: as `get`.
  status get_nbi(rank r, disp i, T& value, call_site at = call_site::here()) noexcept {
    if (const T* const there = this->data(r, i)) [[likely]] {
      value = detail::cpu_load(there);
      return {};
    }
    return begin({.call = detail::list_call::get, .results = &value}, r, i, at);
  }
  // Returns op as `accumulate`.
  template <atomic_op Op>
  status fetch_op_nbi(rank r, disp i, const T& operand, T& before,
                      call_site at = call_site::here()) noexcept {
    if (this->template fetches<Op>(r, i, operand, before)) return {};
    return fetch_op_nbi(Op, r, i, operand, before, at);
  }
  status fetch_op_nbi(atomic_op op, rank r, disp i, const T& operand, T& before,
                      call_site at = call_site::here()) noexcept {
    return begin(
        {.call = detail::list_call::fetch_op, .op = op, .operands = &operand, .results = &before},
        r, i, at);
  }
  status fetch_add_nbi(rank r, disp i, const T& operand, T& before,
                       call_site at = call_site::here()) noexcept {
    return fetch_op_nbi<atomic_op::sum>(r, i, operand, before, at);
  }
  // Returns type as `compare_swap`.
  status compare_swap_nbi(rank r, disp i, const T& expected, const T& desired, T& before,
                          call_site at = call_site::here()) noexcept {
    if (this->swaps(r, i, expected, desired, before)) return {};
    return begin({.call = detail::list_call::compare_swap,
                  .operands = &expected,
                  .desired = &desired,
                  .results = &before},
                 r, i, at);
  }

 protected:
  using list_operations<T, A>::list_operations;

 private:
  status begin(detail::element_list one, rank r, disp i, call_site at) noexcept {
    one.n = 1;
    one.ranks = &r;
    one.disps = &i;
    return this->seen().ops->list(*this->seen().core, one, at);
  }
};

}  // namespace oriel
