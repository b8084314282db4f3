// One piece of a peer's private memory, by the kernel where it copies between the two processes.
#pragma once

#include <sys/uio.h>

#include <span>

#include "win/route/route.hpp"

namespace oriel::win {

errc put_cma(window_core&, const target&, std::ptrdiff_t offset, const void* from,
             std::size_t bytes, tracker*) noexcept;

// An owner's access to the memory of an origin that asks it for something, at an address there.
// Fail as transport::cma_read does: system where the kernel refuses.
errc read_from(const window_core&, rank origin, std::uint64_t address, void* to,
               std::size_t bytes) noexcept;
// Two places there, one behind the other here.
errc read_both_from(const window_core&, rank origin, std::span<const iovec, 2> there, void* to,
                    std::size_t bytes) noexcept;
errc write_to(const window_core&, rank origin, std::uint64_t address, const void* from,
              std::size_t bytes) noexcept;

}  // namespace oriel::win
