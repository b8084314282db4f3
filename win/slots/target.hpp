// Finding the elements that an operation means, by the route of their rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "win/route/route.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// rma_range when [i, i + n) does not lie in one segment of an attach window, or in what a rank of
// another node exposes. Displacements within the node are checked by ORIEL_CHECK=1 alone.
errc find_target(detail::window_core&, rank, disp, std::uint64_t n, target& found) noexcept;

// The same of all that `s`, which has data, lays out from `i` on, before it too where its lower
// bound is negative. Offsets from `found` are the shape's.
errc find_target(detail::window_core&, rank, disp i, const shape& s, target& found) noexcept;
// Whether its route's put_shape and its like may move all of such a shape at once.
inline bool is_moved_whole(const target& at) noexcept {
  return at.by != nullptr && !at.scattered && !at.in_device_memory;
}
// Calls f(target, offset) for one piece of a shape that was found from `i` on.
template <class F>
errc at_piece(detail::window_core& core, const target& at, disp i, std::ptrdiff_t offset,
              std::size_t bytes, F f) noexcept {
  if (!at.scattered) [[likely]]
    return f(at, offset);
  const std::uint64_t place = i.value * core.agreed.extent + static_cast<std::uint64_t>(offset);
  const std::uint64_t first = place / core.agreed.extent;
  const std::uint64_t end = (place + bytes + core.agreed.extent - 1) / core.agreed.extent;
  target piece;
  if (const errc e = find_target(core, at.owner, disp{first}, end - first, piece);
      e != errc::success)
    return e;
  return f(piece, static_cast<std::ptrdiff_t>(place - first * core.agreed.extent));
}

// What to say of an operation with `r` that has failed; any_rank: with some rank.
std::string failed_with(const detail::team_state&, errc, rank r, const char* what);
// Latches it.
errc fail_with(detail::window_core&, errc, rank r, const char* what) noexcept;
// Returns `outcome`, which is latched if it is a failure.
inline errc latched(detail::window_core& core, errc outcome, rank r, const char* what) noexcept {
  return outcome == errc::success ? outcome : fail_with(core, outcome, r, what);
}
// Blocks until what `one` counts with `r`, of another node, is complete; `begun`: how that began,
// which is latched already.
errc wait_for(detail::window_core&, tracker& one, rank r, errc begun, const char* what) noexcept;

// Element `i` of a window whose segments are all mapped.
inline std::byte* mapped_at(const detail::window_core& core, rank r, disp i) noexcept {
  return core.view.base + core.view.segments[r.value].offset + i.value * core.agreed.extent;
}
// The same where the base datatype is as long as `T`, which spares a multiplication.
template <class T>
T* mapped_element(const detail::window_core& core, rank r, disp i) noexcept {
  return reinterpret_cast<T*>(core.view.base + core.view.segments[r.value].offset) + i.value;
}

// How many elements of the base type `bytes` bytes reach into.
inline std::uint64_t covering(const detail::window_core& core, std::size_t bytes) noexcept {
  return (bytes + core.agreed.extent - 1) / core.agreed.extent;
}

}  // namespace oriel::win
