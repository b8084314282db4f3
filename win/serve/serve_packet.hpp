// The other end of a packet (route/packet.hpp): the operations of its entries, for the ranks of
// this node whose memory this process maps.
#pragma once

#include <cstddef>
#include <span>

#include "win/route/packet.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Verifies all entries before it performs the first, so that a packet that is refused has changed
// nothing. `results` has room for asked.results bytes, at most packet_bytes. Returns arg, count,
// rma_range, op or type for a packet that says what is not so. In windows that attach, where the
// origin cannot know what is exposed, it performs the others where some elements are not there, and
// returns rma_range. Requires there: what is attached stays.
errc perform_packet(detail::window_core&, const packet_request& asked,
                    std::span<const std::byte> entries, std::byte* results) noexcept;

}  // namespace oriel::win
