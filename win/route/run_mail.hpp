// What two shapes lay out, sent to the owner of the target's memory as lists of runs.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

// Blocks that are worth a request, or a system call, of their own.
inline constexpr std::size_t long_piece = 512;

using put_block = errc (*)(window_core&, const target&, std::ptrdiff_t offset, const void* from,
                           std::size_t bytes, tracker*) noexcept;
// `put_long` for blocks that are longer than goes into lists. Complete on return.
errc put_runs_by_mail(window_core&, const target&, const std::byte* origin, const shape& here,
                      const shape& there, put_block put_long) noexcept;

// route::accumulate_shape
errc accumulate_runs_by_mail(window_core&, const target&, const shaped_accumulation&,
                             tracker*) noexcept;

}  // namespace oriel::win
