// Finding and moving the bytes of one target: what the operations of windows that are not mapped
// everywhere are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Elements [i, i + n) of one rank.
struct target {
  rank owner;
  std::byte* mapped = nullptr;  // here; null when only the owner has them
  std::byte* device = nullptr;  // as devices address them here, when they are a device's
  std::uint64_t address = 0;    // in the owner's address space, when not mapped
  bool far = false;             // on another node: `address` is a displacement in bytes
};

// rma_range when [i, i + n) does not lie in one segment of an attach window; other windows do not
// look, since their displacements are checked by ORIEL_CHECK=1 alone.
errc find_target(detail::window_core&, rank, disp, std::uint64_t n, target& found) noexcept;

// Moves bytes between here and `at` + `offset`. Within the node: source reusable, result usable and
// complete at the target on return; but copies of more than device_window::at_once bytes with a
// device are begun, and complete when it is drained. To another node it is begun, and `also`, if
// not null, is told besides the target's own count; sources of at most 64 bytes are reusable.
errc write_bytes(detail::window_core&, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, transport::pending_ops* also) noexcept;
errc read_bytes(detail::window_core&, const target& at, std::ptrdiff_t offset, void* to,
                std::size_t bytes, transport::pending_ops* also) noexcept;
// Latches what the device's runtime says, if it failed; `at` is a device's.
errc by_device(detail::window_core&, const target& at, errc, const char* what) noexcept;
// Latches a failure of an operation with `r`, saying what it was.
errc fail_with(detail::window_core&, errc, rank r, const char* what) noexcept;

// How many elements of the base type a target shape reaches, from the displacement on; 0 when it
// has no data, else at least 1.
std::uint64_t reach_of(const detail::window_core&, const shape&) noexcept;

}  // namespace oriel::win
