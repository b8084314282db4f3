// Notification, as oriel/notifications.hpp: puts that are counted at their target. Needs
// ORIEL_ASSERT_NOTIFY. `counter` is one of each rank's counters, from 0, of which
// oriel_window_options::notify_counters says how many there are; ORIEL_ERR_ARG for another.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/datatype.h"
#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// Puts `n` elements from displacement `disp` on, and then adds `amount` to counter `counter` of
// `rank`. The values are reusable on return. Complete at the target when its count is seen there; a
// flush completes it too. Where the window promises ORIEL_ASSERT_ORDERED_NOTIFY, all that this
// thread has begun to `rank` before is complete there then, too. Returns ORIEL_ERR_RANK for a rank
// that the team does not have, ORIEL_ERR_ARG for an amount of 0, else as oriel_window_put. A put
// that is refused is not counted; a wait for its count returns its code.
int oriel_window_put_notify(oriel_window* window, int rank, int64_t disp, const void* values,
                            size_t n, size_t counter, uint32_t amount);
// The same of any layout on both sides, as oriel_window_put_typed, whose assertion it needs, and
// whose ORIEL_ERR_TYPE it returns. Between nodes one of 20 KiB and more waits until the pieces have
// arrived.
int oriel_window_put_notify_typed(oriel_window* window, int rank, int64_t disp, const void* origin,
                                  size_t origin_count, const oriel_datatype* origin_type,
                                  size_t target_count, const oriel_datatype* target_type,
                                  size_t counter, uint32_t amount);
// The same of no element.
int oriel_window_notify(oriel_window* window, int rank, size_t counter, uint32_t amount);

// Blocks until this rank's counter has reached `at_least`; counters start at 0 and only grow, but
// for oriel_window_take_notified. Returns the code of a put that was refused, ORIEL_ERR_PEER_FAILED
// when a rank of the team has died, ORIEL_ERR_TIMED_OUT.
int oriel_window_wait_notify(oriel_window* window, size_t counter, uint64_t at_least);
// The same for `at_most` milliseconds, and up to 50 more: then it returns ORIEL_ERR_TIMED_OUT,
// which the window does not latch and oriel_window_failure does not explain.
int oriel_window_wait_notify_for(oriel_window* window, size_t counter, uint64_t at_least,
                                 int64_t at_most);
// Blocks until any of this rank's counters first to first + n - 1 has reached its value in
// `at_least`; `counter` receives which, of several the lowest. UINT64_MAX stands for a counter that
// is not waited for. Return ORIEL_ERR_ARG for an `n` of 0; else as the waits for one counter.
int oriel_window_wait_notify_any(oriel_window* window, size_t first, size_t n,
                                 const uint64_t* at_least, size_t* counter);
int oriel_window_wait_notify_any_for(oriel_window* window, size_t first, size_t n,
                                     const uint64_t* at_least, int64_t at_most, size_t* counter);
// `value`: of this rank's counter now.
int oriel_window_notified(oriel_window* window, size_t counter, uint64_t* value);
// The same, and the counter starts again at 0: no notification is counted twice or not at all.
// Requires: no thread waits for the counter.
int oriel_window_take_notified(oriel_window* window, size_t counter, uint64_t* value);

#ifdef __cplusplus
}
#endif
