// flush(w1, w2, …): one flush of several windows.
//
//   flush(density, momentum, energy).or_throw();  // one round trip's time, not three
//
// What this process has begun in every one of them leaves before any is waited for.
#pragma once

#include <array>
#include <span>

#include "oriel/window.hpp"

namespace oriel {
namespace detail {
errc flush_together(std::span<const window_view* const>, call_site) noexcept;

// A call of any number of windows has no room for a default argument: the first window brings the
// call's place along, by its conversion.
struct first_of_flush {
  template <class T, assertion_set A>
  first_of_flush(window<T, A>& w, call_site here = call_site::here()) noexcept  // NOLINT: converts
      : view(&w.any().view()), at(here) {
    static_assert(promises_any<A, assertion::shared_lock, assertion::exclusive_lock>,
                  "flush needs assertion::shared_lock or assertion::exclusive_lock");
  }
  const window_view* view;
  call_site at;
};
}  // namespace detail

// Complete at the targets: every operation of this process in these windows, from any thread.
// Blocks until then. Returns the first failure of a window, in their order, as window::flush_all;
// all are flushed in any case.
//
// Where the provider completes writes by reading back (docs/PROVIDERS.md), the reads of one window
// begin when its writes have left, after those of the windows before it.
template <class... T, assertion_set... A>
requires(promises_any<A, assertion::shared_lock, assertion::exclusive_lock>&&...) status
    flush(detail::first_of_flush first, window<T, A>&... others)
noexcept {
  const std::array<const detail::window_view*, 1 + sizeof...(T)> all{first.view,
                                                                     &others.any().view()...};
  return detail::flush_together(all, first.at);
}
inline status flush() noexcept {  // of none, as a pack may be
  return {};
}

}  // namespace oriel
