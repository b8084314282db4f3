// ORIEL_CHECK: what ranks of other nodes do to memory of this one, and tell of the order in which
// they do it (check/far_access.hpp).
#pragma once

#include "transport/fabric.hpp"
#include "win/route/remote_call.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

// Answers the request; or returns why it is refused, and has done nothing. `call` is one of those
// for ORIEL_CHECK.
errc serve_check(detail::window_core&, transport::fabric&, remote_call,
                 const transport::message&) noexcept;

}  // namespace oriel::win
