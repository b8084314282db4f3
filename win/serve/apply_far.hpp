// The owner's half of requests whose operands are in the origin's memory: it reads them, and writes
// the results, through the kernel.
#pragma once

#include "sync/mailbox.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Returns system where the kernel does not let this process access that memory of the origin's:
// nothing is done then, and the origin must send the operands themselves.
errc apply_far(detail::window_core&, const sync::am_request&, const sync::named_operands&,
               rank origin) noexcept;

}  // namespace oriel::win
