// Calls of a program's functions by the processes of other nodes (oriel/detail/owner_calls.hpp).
#include <algorithm>

#include "win/slots/in_packets.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {

using detail::list_call;

bool serve_calls(window_core& core, const detail::owner_calls& calls) noexcept {
  const bool too_long = std::ranges::any_of(calls.sizes, [](const detail::owner_call_sizes& s) {
    return std::max(s.request, s.result) > longest_in_packet;
  });
  if (core.routes.remote == nullptr || core.agreed.plan.device || core.agreed.watched || too_long)
    return false;
  core.operations.calls = calls;
  return true;
}

errc call_owners(window_core& core, std::uint8_t kind,
                 std::span<const detail::owner_call_place> places, const std::byte* requests,
                 std::byte* results) noexcept {
  packet_streams& streams = *core.routes.packets;
  const packet_streams::turn mine(streams);
  const detail::owner_call_sizes sizes = core.operations.calls.sizes[kind];
  const std::uint64_t list = streams.begin_list();
  errc e = errc::success;
  for (std::size_t j = 0; j < places.size() && e == errc::success; ++j) {
    const rank owner = places[j].owner;
    const disp first{places[j].first.value % packet_word::most_elements};
    packet_streams::stream* const s = streams.to(owner);
    if (s != nullptr) s->list = list;
    e = s == nullptr ? errc::no_mem
                     : streams.begin(
                           *s, {list_call::by_owner, kind, owner, first,
                                requests + j * sizes.request, nullptr, results + j * sizes.result});
  }
  rank failed = any_rank;
  const errc sent = streams.send_list(list, failed);
  return latched(core, e == errc::success ? sent : e, failed, "a call");
}

}  // namespace oriel::win
