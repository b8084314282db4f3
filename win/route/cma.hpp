// One piece of a peer's private memory, by the kernel where it copies between the two processes.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

errc put_cma(window_core&, const target&, std::ptrdiff_t offset, const void* from,
             std::size_t bytes, tracker*) noexcept;

}  // namespace oriel::win
