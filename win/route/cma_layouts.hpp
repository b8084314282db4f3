// Layouts of many pieces in a peer's private memory. The kernel takes 130 ns for a piece and 0.1 ns
// for a byte, so short pieces that lie close together are read with what is between them; short
// ones that are many are put by the owner, to whom a list of them is one request.
#pragma once

#include "transport/cma.hpp"
#include "win/route/route.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

inline pid_t process_of(const window_core& core, const target& at) noexcept {
  return core.group->session().job().pid_of(core.group->world_rank(at.owner.value));
}

errc put_layout_cma(window_core&, const target&, const std::byte* origin, const shape& here,
                    const shape& there) noexcept;
errc get_layout_cma(window_core&, const target&, std::byte* result, const shape& here,
                    const shape& there) noexcept;

}  // namespace oriel::win
