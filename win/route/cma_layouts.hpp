// Layouts of many pieces in a peer's private memory. The kernel takes 130 ns for a piece and 0.1 ns
// for a byte, so short pieces that lie close together are read with what is between them; short
// ones that are many are put by the owner, to whom a list of them is one request.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

errc put_layout_cma(window_core&, const target&, const std::byte* origin, const shape& here,
                    const shape& there, tracker*) noexcept;
errc get_layout_cma(window_core&, const target&, std::byte* result, const shape& here,
                    const shape& there, tracker*) noexcept;

}  // namespace oriel::win
