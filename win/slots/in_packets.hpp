// What an operation on one element needs before it begins in a packet (route/packet_streams.hpp).
#pragma once

#include "win/route/packet_streams.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {

// Returns `why`, a refusal of scattered_call, with its text.
errc refuse_call(window_core&, atomic_op, errc why) noexcept;

// Returns rma_range where the element does not exist. Requires: the call is not refused; the
// caller's turn.
errc begin_in_packet(window_core&, packet_streams::stream&, const packet_streams::entry&) noexcept;

}  // namespace oriel::win
