// What an operation on one element needs before it begins in a packet (route/packet_streams.hpp).
#pragma once

#include "win/route/packet_streams.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {

// Whether a call can be performed on the window's elements: what scattered_call refuses is not.
inline bool is_defined(const window_core& core, detail::list_call call, atomic_op op,
                       primitive type = primitive::opaque) noexcept {
  using detail::list_call;
  if (call == list_call::put || call == list_call::get) return true;
  return call == list_call::compare_swap
             ? atomics::compare_swap_kernel(element_bytes(type, core.agreed.extent)) != nullptr
             : kernel_for(core, op, type == primitive::opaque ? core.agreed.element : type) !=
                   nullptr;
}
// Returns why not, with its text.
errc refuse_call(window_core&, detail::list_call, atomic_op,
                 primitive type = primitive::opaque) noexcept;

// Returns rma_range where what it is on does not exist. Requires: the call is not refused; the
// caller's turn.
errc begin_in_packet(window_core&, packet_streams::stream&, const packet_streams::entry&) noexcept;

}  // namespace oriel::win
