// ORIEL_CHECK: what is refused, on the standard error.
#pragma once

#include "oriel/call_site.hpp"
#include "oriel/errc.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Prints the calling thread's last failure of the window, where its code reports a misuse.
void report_misuse(detail::window_core&, errc, call_site) noexcept;

}  // namespace oriel::win
