/* Collectives of teams. All return 0: one that cannot be carried out ends the job. `dest` and
 * `source` may be one object in broadcasts and reductions. */
#ifndef ORIEL_SHMEM_COLLECTIVES_H
#define ORIEL_SHMEM_COLLECTIVES_H

#include "teams.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each element type, and of bytes. */
#define ORIEL_SHMEM_MOVING(BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, TYPE)       \
  int shmem_##BROADCAST(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, \
                        int PE_root);                                                     \
  int shmem_##COLLECT(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems);  \
  int shmem_##FCOLLECT(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  int shmem_##ALLTOALL(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  int shmem_##ALLTOALLS(shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst, \
                        ptrdiff_t sst, size_t nelems);
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                    \
  ORIEL_SHMEM_MOVING(NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, \
                     NAME##_alltoalls, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
ORIEL_SHMEM_MOVING(broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem, void)
#undef ORIEL_SHMEM_MOVING

/* Applied in the order of the PEs: all get the same bits. */
#define ORIEL_SHMEM_REDUCTION(OP, NAME, TYPE)                                         \
  int shmem_##NAME##_##OP##_reduce(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                   size_t nreduce);
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_REDUCTION(and, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(or, NAME, TYPE)  \
  ORIEL_SHMEM_REDUCTION(xor, NAME, TYPE)
ORIEL_SHMEM_REDUCED_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_REDUCTION(max, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(min, NAME, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)    \
  ORIEL_SHMEM_REDUCTION(sum, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(prod, NAME, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#undef ORIEL_SHMEM_REDUCTION

#ifdef __cplusplus
}
#endif
#endif
