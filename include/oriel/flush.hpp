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
}

// Complete at the targets: every operation of this process in these windows, from any thread.
// Blocks until then. Returns the first failure of a window, in their order, as window::flush_all;
// all are flushed in any case.
//
// Where the provider completes writes by reading back (docs/PROVIDERS.md), the reads of one window
// begin when its writes have left, after those of the windows before it.
template <class... T, assertion_set... A>
requires(promises_any<A, assertion::shared_lock, assertion::exclusive_lock>&&...) status
    flush(window<T, A>&... windows)
noexcept {
  const std::array<const detail::window_view*, sizeof...(T)> all{&windows.any().view()...};
  return detail::flush_together(all, call_site{});
}

}  // namespace oriel
