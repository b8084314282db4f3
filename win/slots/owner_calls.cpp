// Calls of a program's functions by the processes of other nodes (oriel/detail/owner_calls.hpp).
#include "win/slots/in_packets.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {

using detail::list_call;

bool serve_calls(window_core& core, const detail::owner_calls& calls) noexcept {
  if (core.routes.remote == nullptr || core.agreed.plan.device || core.agreed.watched ||
      calls.request_bytes > longest_in_packet || calls.result_bytes > longest_in_packet)
    return false;
  core.operations.calls = calls;
  return true;
}

errc call_owners(window_core& core, std::uint8_t kind, std::span<const rank> owners,
                 const std::byte* requests, std::byte* results) noexcept {
  packet_streams& streams = core.routes.remote->packets();
  const packet_streams::turn mine(streams);
  const detail::owner_calls& calls = core.operations.calls;
  errc e = errc::success;
  for (std::size_t j = 0; j < owners.size() && e == errc::success; ++j) {
    packet_streams::stream* const s = streams.to(owners[j]);
    e = s == nullptr ? errc::no_mem
                     : streams.begin(*s, {list_call::by_owner, kind, owners[j], disp{0},
                                          requests + j * calls.request_bytes, nullptr,
                                          results + j * calls.result_bytes});
  }
  const errc sent = streams.send_all();
  return latched(core, e == errc::success ? sent : e, any_rank, "a call");
}

}  // namespace oriel::win
