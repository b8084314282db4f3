// Epochs and completion, as oriel/synchronization.hpp. `mode` is ORIEL_MODE_*, added up. Each
// function needs the assertion of its kind and returns ORIEL_ERR_NOT_ASSERTED without;
// ORIEL_ERR_RMA_SYNC when no epoch, or the wrong one, is open; ORIEL_ERR_PEER_FAILED when a rank
// that it waits for has died. Flush and the ends of epochs return the window's first failure.
#pragma once

#include <stddef.h>

#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// Collective. Ends the fence epoch, with everything in it complete at the targets, and begins the
// next.
int oriel_window_fence(oriel_window* window, int mode);

// Exposes this rank's memory to `n` origins until `wait`; waits for the exposure of `n` targets and
// opens an access epoch to them, which `complete` ends with everything in it complete there.
int oriel_window_post(oriel_window* window, size_t n, const int* origins, int mode);
int oriel_window_start(oriel_window* window, size_t n, const int* targets, int mode);
int oriel_window_complete(oriel_window* window);
// Blocks until every origin of the exposure has ended its epoch; `test` returns at once, and with 1
// in `done` has ended the exposure as `wait` does.
int oriel_window_wait(oriel_window* window);
int oriel_window_test(oriel_window* window, int* done);

// Passive target: ORIEL_LOCK_SHARED or ORIEL_LOCK_EXCLUSIVE on one rank, a shared one on every
// rank. Exclusive locks exclude every other lock, real for oneself too. Unlocking ends the epoch,
// with everything in it complete at the target. ORIEL_ERR_LOCKTYPE for another kind.
int oriel_window_lock(oriel_window* window, int kind, int rank, int mode);
int oriel_window_unlock(oriel_window* window, int rank);
int oriel_window_lock_all(oriel_window* window, int mode);
int oriel_window_unlock_all(oriel_window* window);

// Every operation of this process to `rank` (all: to every rank), from any thread, is complete at
// the target; a full fence orders it with what follows.
int oriel_window_flush(oriel_window* window, int rank);
int oriel_window_flush_all(oriel_window* window);
// Sources reusable and results usable, no more.
int oriel_window_flush_local(oriel_window* window, int rank);
int oriel_window_flush_local_all(oriel_window* window);
// Orders this rank's loads and stores of window memory with other ranks' operations.
int oriel_window_sync(oriel_window* window);

#ifdef __cplusplus
}
#endif
