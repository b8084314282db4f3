// What the routes to ranks of other nodes have in common: atomics, notifications and all else that
// needs the owner's process goes by messages (remote_window.hpp). Operations are begun, and
// tracked.
#pragma once

#include "win/route/route.hpp"

namespace oriel::win {

bool find_remote(const window_core&, rank, disp, std::uint64_t n, target&) noexcept;
errc accumulate_remote(window_core&, const target&, std::ptrdiff_t offset, const accumulation&,
                       tracker* also) noexcept;
errc swap_remote(window_core&, const target&, const swap&) noexcept;
errc notify_remote(window_core&, const notification&, call_site) noexcept;
void refuse_notify_remote(window_core&, rank, std::size_t counter, errc why) noexcept;
errc flush_remote(window_core&, rank) noexcept;
shared_segment<std::byte> query_remote(const window_core&, rank) noexcept;
std::vector<segment<std::byte>> segments_remote(const window_core&, rank);

// Lacks a name, a probe, put and get.
inline constexpr route remote_route{
    .find = find_remote,
    .accumulate = accumulate_remote,
    .compare_swap = swap_remote,
    .notify = notify_remote,
    .refuse_notify = refuse_notify_remote,
    .flush = flush_remote,
    .query = query_remote,
    .segments = segments_remote,
    .tracked = true,
};

}  // namespace oriel::win
