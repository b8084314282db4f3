/* Collectives of OpenSHMEM 1.4: of active sets, PE_size PEs from PE_start on, 2^logPE_stride apart,
 * which meet at pSync. It holds SHMEM_SYNC_VALUE when they begin, and does again on return. pWrk is
 * not used. */
#ifndef ORIEL_SHMEM_ACTIVE_SETS_H
#define ORIEL_SHMEM_ACTIVE_SETS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEM_SYNC_VALUE 0l
#define SHMEM_SYNC_SIZE 40
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

#define ORIEL_SHMEM_SET int PE_start, int logPE_stride, int PE_size
void shmem_barrier(ORIEL_SHMEM_SET, long* pSync);
void shmem_sync(ORIEL_SHMEM_SET, long* pSync);

/* The root's own `dest` is left as it is. PE_root is a place in the active set. */
#define ORIEL_SHMEM_SIZED(BITS)                                                             \
  void shmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root,    \
                             ORIEL_SHMEM_SET, long* pSync);                                 \
  void shmem_collect##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET,  \
                           long* pSync);                                                    \
  void shmem_fcollect##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET, \
                            long* pSync);                                                   \
  void shmem_alltoall##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET, \
                            long* pSync);                                                   \
  void shmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,  \
                             size_t nelems, ORIEL_SHMEM_SET, long* pSync);
ORIEL_SHMEM_SIZED(32)
ORIEL_SHMEM_SIZED(64)
#undef ORIEL_SHMEM_SIZED

/* `dest` and `source` may be one object. Applied in the order of the PEs: all get the same bits. */
#define ORIEL_SHMEM_TO_ALL(OP, NAME, TYPE)                                                        \
  void shmem_##NAME##_##OP##_to_all(TYPE* dest, const TYPE* source, int nreduce, ORIEL_SHMEM_SET, \
                                    TYPE* pWrk, long* pSync);
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(and, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(or, NAME, TYPE)  \
  ORIEL_SHMEM_TO_ALL(xor, NAME, TYPE)
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(max, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(min, NAME, TYPE)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(sum, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(prod, NAME, TYPE)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#undef ORIEL_SHMEM_TO_ALL

#ifdef __cplusplus
}
#endif
#endif
