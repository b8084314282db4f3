/* OpenSHMEM 1.5 in C over oriel (docs/SHMEM.md). The specification states what each call does;
 * comments here state what is particular to this library.
 *
 * Errors: OpenSHMEM has no error codes. A call that cannot be carried out (a PE that there is not,
 * an address that is not symmetric, a PE that has died) prints a sentence to standard error and
 * ends the job, as shmem_global_exit(1) does.
 *
 * Calls on single elements are inlined, as loads, stores and atomic instructions where the
 * symmetric heap of the other PE is mapped here. -DORIEL_SHMEM_CALLS makes all of them calls, for
 * tools that stand before the library. */
#ifndef ORIEL_SHMEM_SHMEM_H
#define ORIEL_SHMEM_SHMEM_H

#include "oriel_shmem/constants.h"
#include "oriel_shmem/types.h"

#include "oriel_shmem/active_sets.h"
#include "oriel_shmem/atomics.h"
#include "oriel_shmem/collectives.h"
#include "oriel_shmem/context.h"
#include "oriel_shmem/locks.h"
#include "oriel_shmem/memory.h"
#include "oriel_shmem/rma.h"
#include "oriel_shmem/setup.h"
#include "oriel_shmem/signals.h"
#include "oriel_shmem/synchronization.h"
#include "oriel_shmem/teams.h"
#include "oriel_shmem/waiting.h"

#ifndef ORIEL_SHMEM_CALLS
#include "oriel_shmem/inline.h"
#include "oriel_shmem/inline_atomics.h"
#endif

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__cplusplus)
#include "oriel_shmem/generic.h"
#endif

#endif
