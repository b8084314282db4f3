// ORIEL_TRACE: operations in the order of streams, twice: the call that enqueues one, in its
// thread, and what a stream does of it, in a place of the stream's own.
#pragma once

#include <cstdint>

#include "kinds/stream_calls.hpp"
#include "win/stream_access.hpp"
#include "win/trace/trace_file.hpp"

namespace oriel::win {

// Both require that the window is traced.
void note_enqueued(const detail::window_core&, const stream_operation&, kinds::stream_of_device,
                   std::uint64_t began, errc returned) noexcept;
// From `began` until now. `value`: that a wait's counter was to reach. Neither blocks nor
// allocates.
void note_passed(const detail::window_core&, const stream_operation&, std::uint8_t stream,
                 std::uint64_t began, std::uint64_t value, errc outcome) noexcept;

}  // namespace oriel::win
