// What the routes to ranks of other nodes have in common: atomics, notifications and all else that
// needs the owner's process goes by messages (remote_window.hpp). Operations are begun, and
// tracked.
#pragma once

#include "win/route/remote_runs.hpp"
#include "win/route/route.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

bool find_remote(const window_core&, rank, disp, std::uint64_t n, target&) noexcept;
errc accumulate_remote(window_core&, const target&, std::ptrdiff_t offset, const accumulation&,
                       tracker* also) noexcept;
errc swap_remote(window_core&, const target&, const swap&) noexcept;
errc notify_remote(window_core&, const notification&, call_site) noexcept;
void refuse_notify_remote(window_core&, rank, notice, errc why) noexcept;
errc flush_remote(window_core&, rank) noexcept;
std::vector<segment<std::byte>> segments_remote(const window_core&, rank);

// Put and get by the two functions of remote_window that move bytes in one way.
template <auto Put>
errc put_remote(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                std::size_t bytes, tracker* also) noexcept {
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  return latched(core, ((*core.routes.remote).*Put)(at.owner, address, from, bytes, also), at.owner,
                 "put");
}
template <auto Get>
errc get_remote(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                std::size_t bytes, tracker* also) noexcept {
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  return latched(core, ((*core.routes.remote).*Get)(at.owner, address, to, bytes, also), at.owner,
                 "get");
}

// A route by the two functions of remote_window that put and get.
template <auto Put, auto Get>
constexpr route remote_route(std::string_view name, decltype(route::probe) probe) noexcept {
  return {.name = name,
          .counted = counted_as(name),
          .probe = probe,
          .find = find_remote,
          .put = put_remote<Put>,
          .get = get_remote<Get>,
          .put_shape = put_shape_remote,
          .get_shape = get_shape_remote,
          .accumulate = accumulate_remote,
          .accumulate_shape = accumulate_shape_remote,
          .compare_swap = swap_remote,
          .notify = notify_remote,
          .refuse_notify = refuse_notify_remote,
          .flush = flush_remote,
          .query = query_unmapped,
          .segments = segments_remote,
          .tracked = true,
          .in_packets = true};
}

}  // namespace oriel::win
