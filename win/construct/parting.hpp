// How ranks free a window when some of them have died. The team's barrier fails then, and a rank
// that has not detected the death yet may go on accessing the window while another frees it:
// nothing is released before all living ranks no longer use it.
#pragma once

#include "win/window_core.hpp"

namespace oriel::win {

// Which ranks may still access this rank's memory when it gives up the window.
enum class afterwards : std::uint8_t {
  no_rank,    // it may be released
  some_rank,  // it must stay: exposed by the fabric, and in the node's memory
};

// This rank begins nothing more and has nothing under way. Has the ranks of other nodes leave its
// memory alone, and waits for those of this node where they reach memory that is not the node's.
// The caller's own memory is waited for without limit but ORIEL_TIMEOUT's; oriel's, which can stay
// where it is, for a few seconds; less after `met` has come to mismatched_collective, since ranks
// may be waiting for each other.
afterwards part_from_survivors(detail::window_core&, errc met) noexcept;

}  // namespace oriel::win
