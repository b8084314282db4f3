/* The profiling interface: every function shmem_NAME has a second name, pshmem_NAME. shmem_NAME is
 * weak: a program, or a tool that is linked or loaded before the library, may define it, and call
 * pshmem_NAME for what it does else. The library itself calls no shmem_NAME, but for the names of
 * earlier specifications that do not begin so: these call the one that has replaced them.
 *
 * Of single elements (shmem_TYPE_p, shmem_TYPE_g, most atomic operations) programs see such a
 * definition where they are built with -DORIEL_SHMEM_CALLS: shmem.h inlines them else. Generic
 * names are macros that name these functions, and have no second name. */
#ifndef ORIEL_SHMEM_PSHMEM_H
#define ORIEL_SHMEM_PSHMEM_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORIEL_SHMEM_SHIFTED(name) extern __typeof__(shmem_##name) pshmem_##name;
#define ORIEL_SHMEM_SHIFTED_BOTH(name) ORIEL_SHMEM_SHIFTED(name) ORIEL_SHMEM_SHIFTED(ctx_##name)

/* setup.h, memory.h */
ORIEL_SHMEM_SHIFTED(init)
ORIEL_SHMEM_SHIFTED(init_thread)
ORIEL_SHMEM_SHIFTED(query_thread)
ORIEL_SHMEM_SHIFTED(finalize)
ORIEL_SHMEM_SHIFTED(global_exit)
ORIEL_SHMEM_SHIFTED(my_pe)
ORIEL_SHMEM_SHIFTED(n_pes)
ORIEL_SHMEM_SHIFTED(info_get_version)
ORIEL_SHMEM_SHIFTED(info_get_name)
ORIEL_SHMEM_SHIFTED(pe_accessible)
ORIEL_SHMEM_SHIFTED(addr_accessible)
ORIEL_SHMEM_SHIFTED(ptr)
ORIEL_SHMEM_SHIFTED(pcontrol)
ORIEL_SHMEM_SHIFTED(set_cache_inv)
ORIEL_SHMEM_SHIFTED(set_cache_line_inv)
ORIEL_SHMEM_SHIFTED(clear_cache_inv)
ORIEL_SHMEM_SHIFTED(clear_cache_line_inv)
ORIEL_SHMEM_SHIFTED(udcflush)
ORIEL_SHMEM_SHIFTED(udcflush_line)
ORIEL_SHMEM_SHIFTED(malloc)
ORIEL_SHMEM_SHIFTED(calloc)
ORIEL_SHMEM_SHIFTED(align)
ORIEL_SHMEM_SHIFTED(realloc)
ORIEL_SHMEM_SHIFTED(malloc_with_hints)
ORIEL_SHMEM_SHIFTED(free)

/* rma.h, signals.h */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)         \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_put)        \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_get)        \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_put_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_get_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_p)          \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_g)          \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_iput)       \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_iget)       \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_put_signal) \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_put_signal_nbi)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_SIZED(BITS)                \
  ORIEL_SHMEM_SHIFTED_BOTH(put##BITS)          \
  ORIEL_SHMEM_SHIFTED_BOTH(get##BITS)          \
  ORIEL_SHMEM_SHIFTED_BOTH(put##BITS##_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(get##BITS##_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(iput##BITS)         \
  ORIEL_SHMEM_SHIFTED_BOTH(iget##BITS)         \
  ORIEL_SHMEM_SHIFTED_BOTH(put##BITS##_signal) \
  ORIEL_SHMEM_SHIFTED_BOTH(put##BITS##_signal_nbi)
ORIEL_SHMEM_SIZES(ORIEL_SHMEM_SIZED)
#undef ORIEL_SHMEM_SIZED
ORIEL_SHMEM_SHIFTED_BOTH(putmem)
ORIEL_SHMEM_SHIFTED_BOTH(getmem)
ORIEL_SHMEM_SHIFTED_BOTH(putmem_nbi)
ORIEL_SHMEM_SHIFTED_BOTH(getmem_nbi)
ORIEL_SHMEM_SHIFTED_BOTH(putmem_signal)
ORIEL_SHMEM_SHIFTED_BOTH(putmem_signal_nbi)
ORIEL_SHMEM_SHIFTED(signal_fetch)
ORIEL_SHMEM_SHIFTED(signal_wait_until)

/* atomics.h */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)               \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch)     \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_nbi) \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_set)       \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_swap)      \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_swap_nbi)
ORIEL_SHMEM_ATOMIC_AND_REAL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                      \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_compare_swap)     \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_compare_swap_nbi) \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_inc)        \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_inc_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_inc)              \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_add)        \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_add_nbi)    \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_add)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                   \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_and)           \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_and)     \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_and_nbi) \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_or)            \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_or)      \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_or_nbi)  \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_xor)           \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_xor)     \
  ORIEL_SHMEM_SHIFTED_BOTH(NAME##_atomic_fetch_xor_nbi)
ORIEL_SHMEM_ATOMIC_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_SHIFTED(NAME##_fetch)   \
  ORIEL_SHMEM_SHIFTED(NAME##_set)     \
  ORIEL_SHMEM_SHIFTED(NAME##_swap)
ORIEL_SHMEM_FORMER_SWAP_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_SHIFTED(NAME##_cswap)   \
  ORIEL_SHMEM_SHIFTED(NAME##_finc)    \
  ORIEL_SHMEM_SHIFTED(NAME##_inc)     \
  ORIEL_SHMEM_SHIFTED(NAME##_fadd)    \
  ORIEL_SHMEM_SHIFTED(NAME##_add)
ORIEL_SHMEM_FORMER_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

/* waiting.h */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until) \
  ORIEL_SHMEM_SHIFTED(NAME##_test)
ORIEL_SHMEM_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_all)         \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_all_vector)  \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_any)         \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_any_vector)  \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_some)        \
  ORIEL_SHMEM_SHIFTED(NAME##_wait_until_some_vector) \
  ORIEL_SHMEM_SHIFTED(NAME##_test_all)               \
  ORIEL_SHMEM_SHIFTED(NAME##_test_all_vector)        \
  ORIEL_SHMEM_SHIFTED(NAME##_test_any)               \
  ORIEL_SHMEM_SHIFTED(NAME##_test_any_vector)        \
  ORIEL_SHMEM_SHIFTED(NAME##_test_some)              \
  ORIEL_SHMEM_SHIFTED(NAME##_test_some_vector)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE) ORIEL_SHMEM_SHIFTED(NAME##_wait)
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
ORIEL_SHMEM_SHIFTED(wait_until)
ORIEL_SHMEM_SHIFTED(wait)

/* teams.h, synchronization.h, locks.h */
ORIEL_SHMEM_SHIFTED(team_my_pe)
ORIEL_SHMEM_SHIFTED(team_n_pes)
ORIEL_SHMEM_SHIFTED(team_get_config)
ORIEL_SHMEM_SHIFTED(team_translate_pe)
ORIEL_SHMEM_SHIFTED(team_split_strided)
ORIEL_SHMEM_SHIFTED(team_split_2d)
ORIEL_SHMEM_SHIFTED(team_destroy)
ORIEL_SHMEM_SHIFTED(team_sync)
ORIEL_SHMEM_SHIFTED(ctx_create)
ORIEL_SHMEM_SHIFTED(team_create_ctx)
ORIEL_SHMEM_SHIFTED(ctx_destroy)
ORIEL_SHMEM_SHIFTED(ctx_get_team)
ORIEL_SHMEM_SHIFTED_BOTH(fence)
ORIEL_SHMEM_SHIFTED_BOTH(quiet)
ORIEL_SHMEM_SHIFTED(barrier_all)
ORIEL_SHMEM_SHIFTED(sync_all)
ORIEL_SHMEM_SHIFTED(set_lock)
ORIEL_SHMEM_SHIFTED(clear_lock)
ORIEL_SHMEM_SHIFTED(test_lock)

/* collectives.h, active_sets.h */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_broadcast)  \
  ORIEL_SHMEM_SHIFTED(NAME##_collect)    \
  ORIEL_SHMEM_SHIFTED(NAME##_fcollect)   \
  ORIEL_SHMEM_SHIFTED(NAME##_alltoall)   \
  ORIEL_SHMEM_SHIFTED(NAME##_alltoalls)  \
  ORIEL_SHMEM_SHIFTED(NAME##_max_reduce) \
  ORIEL_SHMEM_SHIFTED(NAME##_min_reduce)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_sum_reduce) \
  ORIEL_SHMEM_SHIFTED(NAME##_prod_reduce)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_and_reduce) \
  ORIEL_SHMEM_SHIFTED(NAME##_or_reduce)  \
  ORIEL_SHMEM_SHIFTED(NAME##_xor_reduce)
ORIEL_SHMEM_REDUCED_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
ORIEL_SHMEM_SHIFTED(broadcastmem)
ORIEL_SHMEM_SHIFTED(collectmem)
ORIEL_SHMEM_SHIFTED(fcollectmem)
ORIEL_SHMEM_SHIFTED(alltoallmem)
ORIEL_SHMEM_SHIFTED(alltoallsmem)
#define ORIEL_SHMEM_SIZED(BITS)        \
  ORIEL_SHMEM_SHIFTED(broadcast##BITS) \
  ORIEL_SHMEM_SHIFTED(collect##BITS)   \
  ORIEL_SHMEM_SHIFTED(fcollect##BITS)  \
  ORIEL_SHMEM_SHIFTED(alltoall##BITS)  \
  ORIEL_SHMEM_SHIFTED(alltoalls##BITS)
ORIEL_SHMEM_SIZED(32)
ORIEL_SHMEM_SIZED(64)
#undef ORIEL_SHMEM_SIZED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_max_to_all) \
  ORIEL_SHMEM_SHIFTED(NAME##_min_to_all)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_sum_to_all) \
  ORIEL_SHMEM_SHIFTED(NAME##_prod_to_all)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_SHIFTED(NAME##_and_to_all) \
  ORIEL_SHMEM_SHIFTED(NAME##_or_to_all)  \
  ORIEL_SHMEM_SHIFTED(NAME##_xor_to_all)
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
ORIEL_SHMEM_SHIFTED(barrier)
ORIEL_SHMEM_SHIFTED(sync)

#undef ORIEL_SHMEM_SHIFTED_BOTH
#undef ORIEL_SHMEM_SHIFTED

#ifdef __cplusplus
}
#endif
#endif
