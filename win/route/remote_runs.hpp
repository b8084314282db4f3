// What two shapes lay out, between here and a rank of another node: blocks that follow one another
// travel in one message, as a list of runs, and the owner's process lays them out
// (serve/serve_runs.cpp). Blocks that are long go by the route's own put and get beside.
//
// The functions are a route's put_shape, get_shape and accumulate_shape. What they begin is
// tracked; origins are reusable on return, but those of long blocks of a put.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

// Of a block. Of 512 KiB over tcp;ofi_rxm, without lanes, blocks of 2 KiB (net_put_tile) take 0.22
// ms in messages and 1.4 by remote writes of their own, those of 16 KiB 0.23 and 0.26, of 32 KiB
// 0.23 and 0.13.
inline constexpr std::size_t long_far_block = 20480;

errc put_shape_remote(window_core&, const target&, const std::byte* origin, const shape& here,
                      const shape& there, tracker* also) noexcept;
errc get_shape_remote(window_core&, const target&, std::byte* result, const shape& here,
                      const shape& there, tracker* also) noexcept;
// The target may lie in any memory that its owner reaches.
errc accumulate_shape_remote(window_core&, const target&, const shaped_accumulation&,
                             tracker* also) noexcept;

}  // namespace oriel::win
