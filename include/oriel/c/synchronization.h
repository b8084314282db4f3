// Epochs and completion, as oriel/synchronization.hpp. `mode` is ORIEL_MODE_*, added up.
//
// Returns ORIEL_ERR_NOT_ASSERTED without the assertion of its kind; ORIEL_ERR_RMA_SYNC for an epoch
// that does not fit those that are open; ORIEL_ERR_PEER_FAILED when a rank that it waits for has
// died, has left or is cut off; ORIEL_ERR_TIMED_OUT when one that is alive does not do its part
// within ORIEL_TIMEOUT; ORIEL_ERR_RANK, from post, start and lock, for a rank that the team does
// not have; ORIEL_ERR_NO_MEM; or else the window's first failure.
#pragma once

#include <stddef.h>

#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ends the fence epoch and begins the next. Collective. Blocks until every rank has called it.
// Complete at the targets: every operation of every rank in the epoch. After one for which this
// rank has waited in vain all later ones return its code at once.
int oriel_window_fence(oriel_window* window, int mode);

// `post` exposes this rank's memory to `n` origins until `wait`, and does not block. `start` opens
// an access epoch to `n` targets, and blocks until each has posted to this rank. `complete` ends
// it: every operation of the epoch is complete at its target.
int oriel_window_post(oriel_window* window, size_t n, const int* origins, int mode);
int oriel_window_start(oriel_window* window, size_t n, const int* targets, int mode);
int oriel_window_complete(oriel_window* window);
// Ends the exposure. Blocks until every origin has ended its epoch. `test` does not block: `done`
// is 1 where every origin has, and the exposure is ended, else 0.
int oriel_window_wait(oriel_window* window);
int oriel_window_test(oriel_window* window, int* done);

// Passive target. `lock` opens an access epoch to one rank by a lock of `kind`, ORIEL_LOCK_SHARED
// or ORIEL_LOCK_EXCLUSIVE (else ORIEL_ERR_LOCKTYPE); `lock_all` one to every rank by shared locks.
// Block until the locks are granted; an exclusive lock excludes every other lock on that rank, also
// where it is this one. Unlocking ends the epoch: every operation of it is complete at its target.
int oriel_window_lock(oriel_window* window, int kind, int rank, int mode);
int oriel_window_unlock(oriel_window* window, int rank);
int oriel_window_lock_all(oriel_window* window, int mode);
int oriel_window_unlock_all(oriel_window* window);

// Complete at the target: every operation of this process to `rank` (all: to every rank), from any
// thread. Block until then. A full fence orders them with what follows. Require, as those below: a
// lock or lock_all of this process is open; the team has the rank.
int oriel_window_flush(oriel_window* window, int rank);
int oriel_window_flush_all(oriel_window* window);
// Sources reusable and results usable, no more. Block until then.
int oriel_window_flush_local(oriel_window* window, int rank);
int oriel_window_flush_local_all(oriel_window* window);
// Orders this rank's loads and stores of window memory with other ranks' operations: a full fence.
int oriel_window_sync(oriel_window* window);

#ifdef __cplusplus
}
#endif
