// What a window's memory looks like from here (MPI-4.1 §12.2.3, extended to every window).
#include "oriel/any_window.hpp"
#include "win/window_core.hpp"

namespace oriel {

using detail::window_core;

shared_segment<std::byte> any_window::shared_query(rank r) const noexcept {
  if (!valid()) return {};
  const window_core& core = *view_.core;
  const auto seen = [&core](rank of) { return core.routes.to(of).query(core, of); };
  if (r != any_rank) return core.group->has(r) ? seen(r) : shared_segment<std::byte>{};
  for (int i = 0; i < core.ranks(); ++i)
    if (const auto s = seen(rank{i}); s.reachable() && s.count != 0) return s;
  return {};
}

std::vector<segment<std::byte>> any_window::segments(rank r) const {
  if (!valid()) throw error(errc::win, failure());
  const window_core& core = *view_.core;
  if (!core.group->has(r))
    throw error(errc::rank, "window '" + core.agreed.name + "': segments of rank " +
                                std::to_string(r.value) + ": " + core.group->ranks_in_words());
  return core.routes.to(r).segments(core, r);
}

}  // namespace oriel
