// Memory that this process loads and stores, its own or a peer's.
#pragma once

#include "win/route/on_node.hpp"

namespace oriel::win {

bool find_mapped(const window_core&, rank, disp, std::uint64_t n, target&) noexcept;
errc put_mapped(window_core&, const target&, std::ptrdiff_t offset, const void* from,
                std::size_t bytes, tracker*) noexcept;
errc get_mapped(window_core&, const target&, std::ptrdiff_t offset, void* to, std::size_t bytes,
                tracker*) noexcept;
errc accumulate_mapped(window_core&, const target&, std::ptrdiff_t offset, const accumulation&,
                       tracker*) noexcept;
errc swap_mapped(window_core&, const target&, const swap&) noexcept;

// Lacks a name, a probe, and how it is seen.
inline constexpr route mapped_route = refine(on_node_route, [](route& r) {
  r.find = find_mapped;
  r.put = put_mapped;
  r.get = get_mapped;
  r.accumulate = accumulate_mapped;
  r.compare_swap = swap_mapped;
});

}  // namespace oriel::win
