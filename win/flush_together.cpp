#include "oriel/flush.hpp"
#include "win/slots/target.hpp"

namespace oriel::detail {

namespace {

// Failures are latched: the flush returns them.
void begin_flush(window_core& core) noexcept {
  if (core.routes.remote == nullptr || core.hot.pending.load(std::memory_order_acquire) == 0)
    return;
  rank failed = any_rank;
  const errc e = core.routes.remote->begin_flush_all(failed);
  win::latched(core, e, failed, "an operation");
}

}  // namespace

errc flush_together(std::span<const window_view* const> windows, call_site at) noexcept {
  for (const window_view* w : windows) begin_flush(*w->core);
  errc first = errc::success;
  for (const window_view* w : windows)
    if (const errc e = w->ops->flush(*w->core, any_rank, flush_scope::target, at);
        first == errc::success)
      first = e;
  return first;
}

}  // namespace oriel::detail
