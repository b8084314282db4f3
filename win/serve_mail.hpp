// The owner's half of windows whose memory is not mapped by all: its agent applies what arrives.
#pragma once

#include <cstdint>

#include "transport/mailbox.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// Serves what has arrived for this process. Called by its agent.
void serve_mail(detail::window_core&) noexcept;

// Names a place in memory to the striped locks, alike in every process that maps it: the offset in
// node memory, or the address of memory that only its owner's CPU touches.
std::uint64_t key_of(const detail::window_core&, const std::byte* place) noexcept;

}  // namespace oriel::win
