// Lists (extension): one operation on each of many elements that lie anywhere, on any ranks, in one
// call. Part of `window<T, A>`.
#pragma once

#include <span>

#include "oriel/detail/element_list.hpp"
#include "oriel/notifications.hpp"

namespace oriel {

// Operation j is on element disps[j] of rank ranks[j], and is one operation on one element: it
// needs no promise beyond those of put, get, fetch_op and compare_swap. On a node the lists are
// loops that fetch memory ahead; to another node, or to private memory of this one, many operations
// are one message (docs/SMALL_OPERATIONS.md).
//
// Sources reusable on return. Results usable after flush_local, or the end of the epoch; those of
// ranks of this node on return, but for private memory in windows that gather
// (window_options::aggregate). Complete at the target after flush. Accumulates of one list to one
// element are performed in the order of the list.
//
// Returns count where the spans differ in size; op as `accumulate`; rma_range as `put`: those
// before the element in the list are performed.
template <class T, assertion_set A>
class list_operations : public notifications<T, A> {
  using ranks_span = std::span<const rank>;
  using disps_span = std::span<const disp>;
  using values_span = std::span<const T>;

 public:
  // Puts values[j].
  status scatter(ranks_span ranks, disps_span disps, values_span values,
                 call_site at = call_site::here()) noexcept {
    if (differ(ranks, disps, values)) return refused(ranks, disps, values);
    return perform({.call = detail::list_call::put, .operands = values.data()}, ranks, disps, at);
  }
  // Gets results[j].
  status gather(ranks_span ranks, disps_span disps, std::span<T> results,
                call_site at = call_site::here()) noexcept {
    if (differ(ranks, disps, results)) return refused(ranks, disps, results);
    return perform({.call = detail::list_call::get, .results = results.data()}, ranks, disps, at);
  }
  status accumulate(atomic_op op, ranks_span ranks, disps_span disps, values_span operands,
                    call_site at = call_site::here()) noexcept {
    if (differ(ranks, disps, operands)) return refused(ranks, disps, operands);
    return perform({.call = detail::list_call::accumulate, .op = op, .operands = operands.data()},
                   ranks, disps, at);
  }
  // before[j] receives the value before. With no_op, `operands` may be empty.
  status fetch_op(atomic_op op, ranks_span ranks, disps_span disps, values_span operands,
                  std::span<T> before, call_site at = call_site::here()) noexcept {
    const bool reads = op == atomic_op::no_op && operands.empty();
    if (!reads && differ(ranks, disps, operands)) return refused(ranks, disps, operands);
    if (differ(ranks, disps, before)) return refused(ranks, disps, before);
    return perform({.call = detail::list_call::fetch_op,
                    .op = op,
                    .operands = operands.data(),
                    .results = before.data()},
                   ranks, disps, at);
  }
  // Returns type as compare_swap on one element.
  status compare_swap(ranks_span ranks, disps_span disps, values_span expected, values_span desired,
                      std::span<T> before, call_site at = call_site::here()) noexcept {
    if (differ(ranks, disps, expected)) return refused(ranks, disps, expected);
    if (differ(ranks, disps, desired)) return refused(ranks, disps, desired);
    if (differ(ranks, disps, before)) return refused(ranks, disps, before);
    return perform({.call = detail::list_call::compare_swap,
                    .operands = expected.data(),
                    .desired = desired.data(),
                    .results = before.data()},
                   ranks, disps, at);
  }

 protected:
  using notifications<T, A>::notifications;

 private:
  template <class Values>
  static bool differ(ranks_span ranks, disps_span disps, const Values& values) noexcept {
    return ranks.size() != disps.size() || ranks.size() != values.size();
  }
  template <class Values>
  [[gnu::cold]] errc refused(ranks_span ranks, disps_span disps, const Values& values) noexcept {
    return this->any_.lists_differ(ranks.size(), disps.size(), values.size());
  }
  status perform(detail::element_list list, ranks_span ranks, disps_span disps,
                 call_site at) noexcept {
    list.n = ranks.size();
    list.ranks = ranks.data();
    list.disps = disps.data();
    return this->seen().ops->list(*this->seen().core, list, at);
  }
};

}  // namespace oriel
