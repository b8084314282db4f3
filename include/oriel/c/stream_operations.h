// Operations in the order of a stream of CUDA or HIP, as oriel/stream_operations.hpp, which says
// when they are done, what is complete when the stream has passed them, what they require of
// buffers and graphs, and what they return. `stream` is a cudaStream_t, CUstream or hipStream_t;
// null is the default stream of the window's device.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// `n` elements of the base datatype from displacement `disp` on; more than one need
// ORIEL_ASSERT_MULTI_ELEMENT. Return ORIEL_ERR_UNSUPPORTED_KIND for a buffer that is not in memory
// of the window's kind, and on windows that have none on this node.
int oriel_window_put_on(oriel_window* window, void* stream, int rank, int64_t disp,
                        const void* values, size_t n);
int oriel_window_get_on(oriel_window* window, void* stream, int rank, int64_t disp, void* values,
                        size_t n);
// Need ORIEL_ASSERT_NOTIFY. Adds `amount` to counter `counter` of `rank`, after what the stream
// held before is complete;
int oriel_window_signal_on(oriel_window* window, void* stream, int rank, size_t counter,
                           uint32_t amount);
// the stream waits until this rank's counter has reached `at_least`,
int oriel_window_wait_on(oriel_window* window, void* stream, size_t counter, uint64_t at_least);
// or the sum of all that calls of this function for the counter, and launches of graphs that hold
// one, have waited for so far and `amount`.
int oriel_window_wait_more_on(oriel_window* window, void* stream, size_t counter, uint64_t amount);

#ifdef __cplusplus
}
#endif
